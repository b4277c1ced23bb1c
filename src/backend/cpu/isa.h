#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backend/cpu/kernels.h"

/// The loops that exist once per instruction set, and the choice of the instruction set. The files of this folder
/// divide the work; the loops compute on plain pointers.
namespace cavs::cpu {

/// An operand of a scalar instruction. Element i of the tile is p[i * step]. With step 0, all elements are the same
/// number, of which at least kMaxLanes copies are stored.
struct Operand {
  const float* p;
  std::int64_t step;
};

inline constexpr int kMaxLanes = 16;
inline constexpr int kTile = 256;             // elements of a tile of the element-wise interpreter
inline constexpr int kColumnUnit = 16;        // workers share columns in multiples of this number, a cache line
inline constexpr int kGradientColumns = 256;  // columns of a weight gradient's right operand that are packed at a time
inline constexpr int kGradientStrips = 512;   // its left operand's columns that are packed at a time, in strips

struct NamedRowKernel {
  const char* name;
  RowKernel kernel;
};

/// A part of the product a^T b of a block of rows: rows [a_begin, a_end) and columns [b_begin, b_end) of the result.
struct GradientPart {
  int a_begin, a_end, b_begin, b_end;
  float* dw;                        // element (i, j) at dw[i * a_stride + j * b_stride]
  std::int64_t a_stride, b_stride;  // one of them is 1
  bool add;                         // true to add to dw
};

/// Destination of the columns of a slice. The results of row r are written to y + r * stride.
struct SliceOut {
  float* y;
  std::int64_t stride;
  int columns;  // number of columns, at most kSlice
  bool add;     // true to add to y
};

/// Arguments of a product of rows of x and slices, [k][kSlice] each, of a packed weight.
struct ProductArgs {
  const float* const* x;  // [rows], k floats each
  int rows, k;
  const float* slices;
  std::int64_t slice_stride;
  const SliceOut* out;  // [slice_count]
  int slice_count;
  bool far = false;            // the weight is not in the second cache, and too slow to read in place
  float* space = nullptr;      // far_space floats if `far`
  std::int64_t block = 16384;  // bytes of a weight that all rows use before the next: a share of the first cache
};

/// Largest depth of a part of a weight that is `far`. All rows use a part of two slices before the next.
inline constexpr int kFarDepth = 128;
constexpr int far_depth(std::int64_t block) {
  constexpr std::int64_t kStep = 2 * kSlice * sizeof(float), kGrain = 16;
  const std::int64_t steps = block / kStep / kGrain * kGrain;
  return static_cast<int>(steps < kGrain ? kGrain : steps < kFarDepth ? steps : kFarDepth);
}
/// Returns the number of floats for a copy of the rows, and for their sums from part to part.
constexpr std::int64_t far_space(int rows, int k, int depth) {
  return std::int64_t{rows} * ((k + depth - 1) / depth * (kFarDepth + kMaxLanes) + 2 * kMaxLanes);
}

struct Isa {
  const char* name;
  int lanes;
  int native_lanes;  // lanes of a register: 16 (AVX-512), 8 (AVX2) or 4; used by generated code
  int strip;         // columns of a weight gradient's left operand that are computed together
  int strip_panel;   // columns of its right operand that are computed together
  int gradient_space;
  bool has_far_products;  // true if ProductArgs::far is supported

  /// Runs a scalar program on one tile of n elements, a multiple of `lanes`, and sets regs[dst] of each instruction.
  /// Register i may use the memory at storage + i * kTile.
  void (*run_tile)(const ScalarInstruction* code, int count, const Operand* inputs, Operand* regs, float* storage,
                   int n);
  void (*product)(const ProductArgs& args);
  /// Computes one block of at most kSumBlock rows of a weight gradient. `space` has gradient_space floats.
  void (*gradient_block)(const float* const* a, const float* const* b, int rows, const GradientPart& part,
                         float* space);
  /// Computes dw [strips, a_end - a_begin, kSlice] (+)= a^T b for columns [a_begin, a_end) of a, a multiple of kSlice,
  /// and kSlice columns of b from each b_begin[i]. There are at most kSumBlock rows. The result is bit-identical to
  /// gradient_block. For few rows this is faster, because nothing is packed.
  void (*gradient_strips)(const float* const* a, int a_begin, int a_end, const float* const* b, const int* b_begin,
                          int strips, int rows, bool add, float* dw);
  /// Computes out[c] (+)= sum over rows of x[r][c], for one block of rows.
  void (*sum_block)(const float* const* x, int rows, int begin, int end, float* out, bool add);
  /// Computes to[c * to_stride + r] = from[r * from_stride + c].
  void (*transpose)(const float* from, std::int64_t from_stride, int rows, int columns, float* to,
                    std::int64_t to_stride);
  void (*transpose_slice)(const float* from, float* to);  // transposes [kSlice, kSlice]
  void (*add_squares)(const float* x, std::int64_t count, double* sums);
  std::int32_t (*largest_magnitude)(const float* x, std::int64_t count);
  double (*square_sum)(const float* x, std::int64_t stride, int rows, int columns);
  void (*cross_entropy)(const CrossEntropy& args, std::int32_t begin, std::int32_t end);
  void (*best_words)(const float* logits, int words, ScoredWord* best, int count);
  float (*log_softmax_at)(const float* logits, int words, int word);
  /// Computes an AMX tile in plain code, over steps * 32 of k. See Bf16Isa.
  void (*bf16_tile)(const std::uint16_t* a, std::int64_t a_stride, const std::uint16_t* b, int steps, float* c);
  /// Computes chain = chain * factor + term `steps` times in each lane of `peak_chains` registers. Returns the sum.
  float (*multiply_adds)(std::int64_t steps, float factor, float term);
  int peak_chains;

  const NamedRowKernel* row_kernels;
  int row_kernel_count;
};

/// Returns the instruction sets that this processor can run, best first. The last one is always "portable". Builds with
/// CAVS_TEST_KERNELS also have "avx2x2", never as the first. It runs the loops of AVX-512 on pairs of AVX2 vectors,
/// with results that are bit-identical to AVX-512.
std::span<const Isa* const> available_isas();

/// Returns the instruction set of this name; nullptr if the name is unknown or the processor cannot run it.
const Isa* find_isa(std::string_view name);

/// Returns the instruction set in use, which CAVS_ISA selects; by default the best one. It is chosen at the first call.
/// @throws UserError if CAVS_ISA is no instruction set that can run here.
const Isa& isa();

/// Returns the size of a core's second cache as the system reports it; 1 MiB if it reports none.
std::int64_t second_cache_bytes();
/// Returns the size of a core's first data cache as the system reports it; 32 KiB if it reports none.
std::int64_t first_cache_bytes();
/// True if the third cache is fast enough to read rows in place for tiles of 8 x 32: on AMD with AVX-512. Measured on
/// Zen 4, which does one multiply-add of 16 lanes per cycle; not measured on later processors, which do two.
bool third_cache_feeds_tiles(const Isa& isa);

RowKernel find_row_kernel(const Isa& isa, std::string_view name);

// The kernels of kernels.h for a given instruction set.
void elementwise(const Isa& isa, const ScalarProgram& program, std::span<const ConstRows> in, std::span<const Rows> out,
                 std::int32_t row_begin, std::int32_t row_end, Scratch& scratch);
void matmul(const Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch);
void matmul_tn(const Isa& isa, const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw, bool accumulate,
               int worker, int workers, Scratch& scratch);
void sum_rows(const Isa& isa, const ConstRows& x, std::int32_t rows, float* out, bool accumulate, int worker,
              int workers);
void lookup_grad(const Isa& isa, const ConstRows& dy, const std::int32_t* table_rows, const std::int32_t* offsets,
                 const std::int32_t* rows, std::int32_t count, float* dtable, int worker, int workers);
double multiply_adds(const Isa& isa, std::int64_t steps);
void best_words(const Isa& isa, std::span<const float> logits, std::span<ScoredWord> best);

}  // namespace cavs::cpu
