#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backend/cpu/kernels.h"

/// The inner loops of the kernels, which are compiled once per instruction set, and the choice of the instruction set.
/// Code that is compiled once (matmul.cc, gradients.cc ...) divides the work and passes plain pointers to the loops.
namespace cavs::cpu {

/// An operand of a scalar instruction on a tile. If step is 1, element i is p[i]. If step is 0, all elements are the
/// same number, and at least kMaxLanes copies of it are stored at p.
struct Operand {
  const float* p;
  std::int64_t step;
};

inline constexpr int kMaxLanes = 16;          // floats in the widest vector of any instruction set
inline constexpr int kTile = 256;             // most elements for which elementwise() runs its program at a time
inline constexpr int kColumnUnit = 16;        // each worker computes a multiple of this many columns, a cache line
inline constexpr int kGradientColumns = 256;  // columns of dy that a weight gradient packs at a time
inline constexpr int kGradientStrips = 512;   // columns of x that it packs at a time (wide loops only)

struct NamedRowKernel {
  const char* name;
  RowKernel kernel;
};

/// Rows [a_begin, a_end) and columns [b_begin, b_end) of a weight gradient dw = a^T b.
struct GradientPart {
  int a_begin, a_end, b_begin, b_end;
  float* dw;                        // all of dw; element (i, j) is dw[i * a_stride + j * b_stride]
  std::int64_t a_stride, b_stride;  // one of them is 1
  bool add;                         // true to add to dw, false to overwrite
};

/// Where a product writes the columns of one slice. Row r of the result begins at y + r * stride.
struct SliceOut {
  float* y;
  std::int64_t stride;
  int columns;  // columns of the slice that exist, at most kSlice; the others are padding
  bool add;     // true to add to y, false to overwrite
};

/// Arguments of a product of rows of x, [k] each, and slices of a packed weight, [k][kSlice] each.
struct ProductArgs {
  const float* const* x;  // [rows]: address of each row of x
  int rows, k;
  const float* slices;        // the first slice
  std::int64_t slice_stride;  // floats from one slice to the next
  const SliceOut* out;        // [slice_count]
  int slice_count;
  bool far = false;        // true if the weight is in memory that is too slow to read in place; see vec_product_wide.h
  float* space = nullptr;  // far_space() floats if `far`
  std::int64_t block = 16384;  // bytes of the weight that all rows are multiplied by before the next bytes
};

/// A product with a weight that is `far` multiplies all rows by one part of the weight, two slices wide and far_depth()
/// k deep, before the next part. `block` is ProductArgs::block. kFarDepth is the largest depth.
inline constexpr int kFarDepth = 128;
constexpr int far_depth(std::int64_t block) {
  constexpr std::int64_t kStep = 2 * kSlice * sizeof(float), kGrain = 16;
  const std::int64_t steps = block / kStep / kGrain * kGrain;
  return static_cast<int>(steps < kGrain ? kGrain : steps < kFarDepth ? steps : kFarDepth);
}
/// Returns the floats that such a product needs for a copy of the rows of x, and for sums between parts.
constexpr std::int64_t far_space(int rows, int k, int depth) {
  return std::int64_t{rows} * ((k + depth - 1) / depth * (kFarDepth + kMaxLanes) + 2 * kMaxLanes);
}

struct Isa {
  const char* name;
  int lanes;              // floats in a vector of the loops
  int native_lanes;       // floats in a register: 16 (AVX-512), 8 (AVX2) or 4; used by generated code
  int strip;              // columns of a weight gradient's left operand (a) that are computed together
  int strip_panel;        // columns of its right operand (b) that are computed together
  int gradient_space;     // floats that gradient_block needs at `space`
  bool has_far_products;  // true if ProductArgs::far is supported

  /// Runs a scalar program of `count` instructions on n elements, a multiple of `lanes`. Sets regs[dst] of each
  /// instruction to its result, which is stored at storage + dst * kTile or is an input.
  void (*run_tile)(const ScalarInstruction* code, int count, const Operand* inputs, Operand* regs, float* storage,
                   int n);
  void (*product)(const ProductArgs& args);
  /// Computes a part of a weight gradient: the sum over `rows` rows of a and b, at most kSumBlock.
  void (*gradient_block)(const float* const* a, const float* const* b, int rows, const GradientPart& part,
                         float* space);
  /// Computes dw [strips, a_end - a_begin, kSlice] (+= if add) = a^T b, for columns [a_begin, a_end) of a, a multiple
  /// of kSlice. Strip i has kSlice columns of b, from b_begin[i]. There are at most kSumBlock rows. The result is
  /// bit-identical to gradient_block. For few rows this is faster, because nothing is packed.
  void (*gradient_strips)(const float* const* a, int a_begin, int a_end, const float* const* b, const int* b_begin,
                          int strips, int rows, bool add, float* dw);
  /// Computes out[c] (+= if add) = sum over r of x[r][c], for c in [begin, end) and at most kSumBlock rows.
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
  /// Computes a tile of 16 x 16 results, c, over steps * 32 k, without instructions for bf16. See Bf16Isa.
  void (*bf16_tile)(const std::uint16_t* a, std::int64_t a_stride, const std::uint16_t* b, int steps, float* c);
  /// Computes chain = chain * factor + term `steps` times in each lane of peak_chains registers. Returns their sum.
  float (*multiply_adds)(std::int64_t steps, float factor, float term);
  int peak_chains;

  const NamedRowKernel* row_kernels;
  int row_kernel_count;
};

/// Returns the instruction sets that this processor can run, best first. The last one is always "portable". Builds with
/// CAVS_TEST_KERNELS also have "avx2x2", never as the first. It runs the loops of AVX-512 on pairs of AVX2 vectors, and
/// gives results that are bit-identical to AVX-512.
std::span<const Isa* const> available_isas();

/// Returns the instruction set of this name; nullptr if the name is unknown or the processor cannot run it.
const Isa* find_isa(std::string_view name);

/// Returns the instruction set in use, which CAVS_ISA selects; by default the best one. It is chosen at the first call.
/// @throws UserError if CAVS_ISA is no instruction set that can run here.
const Isa& isa();

/// Returns the bytes of a core's second-level cache as the system reports them; 1 MiB if it reports none.
std::int64_t second_cache_bytes();
/// Returns the bytes of a core's first-level data cache as the system reports them; 32 KiB if it reports none.
std::int64_t first_cache_bytes();
/// True if products can read a weight in place from the third-level cache at full speed: on AMD with AVX-512. Measured
/// on Zen 4, which does one multiply-add of 16 lanes per cycle; not measured on later processors, which do two.
bool third_cache_feeds_tiles(const Isa& isa);

// The functions of kernels.h for a given instruction set.
RowKernel find_row_kernel(const Isa& isa, std::string_view name);
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
