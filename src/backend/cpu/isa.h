#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backend/cpu/kernels.h"

/// The loops that exist once per instruction set, and the choice among them. The drivers beside this header decide
/// what is computed; these loops only compute, on plain pointers.
namespace cavs::cpu {

/// What a scalar instruction reads: element i of the tile is at p[i * step]; step 0 is one number for all (and then at
/// least kMaxLanes copies of it are stored).
struct Operand {
  const float* p;
  std::int64_t step;
};

inline constexpr int kMaxLanes = 16;
inline constexpr int kTile = 256;             // elements of a tile of the element-wise interpreter
inline constexpr int kColumnUnit = 16;        // columns that one worker owns, where columns are shared: a cache line
inline constexpr int kGradientColumns = 256;  // columns of the right operand that a weight gradient packs at a time
inline constexpr int kGradientStrips = 512;   // and of the left one, where it packs more than a strip

struct NamedRowKernel {
  const char* name;
  RowKernel kernel;
};

/// The part [a_begin, a_end) x [b_begin, b_end) of the product a^T b of a block of rows.
struct GradientPart {
  int a_begin, a_end, b_begin, b_end;
  float* dw;                        // element (i, j) at dw[i * a_stride + j * b_stride]
  std::int64_t a_stride, b_stride;  // one of them is 1
  bool add;                         // to what dw holds
};

/// Where the columns of a slice go: row r at y + r * stride.
struct SliceOut {
  float* y;
  std::int64_t stride;
  int columns;  // at most kSlice
  bool add;     // to what y holds
};

/// Rows of x times slices [k][kSlice] of a packed weight.
struct ProductArgs {
  const float* const* x;  // [rows], k floats each
  int rows, k;
  const float* slices;
  std::int64_t slice_stride;
  const SliceOut* out;  // [slice_count]
  int slice_count;
  bool far = false;            // the weight comes from beyond the second cache, too slowly to be read in place
  float* space = nullptr;      // far_space floats where it is far
  std::int64_t block = 16384;  // bytes of a weight that all rows pass before the next: a share of the first cache
};

/// Of k: how much of a far weight's slices, two at a time, all rows pass before the next part; at most kFarDepth.
inline constexpr int kFarDepth = 128;
constexpr int far_depth(std::int64_t block) {
  constexpr std::int64_t kStep = 2 * kSlice * sizeof(float), kGrain = 16;
  const std::int64_t steps = block / kStep / kGrain * kGrain;
  return static_cast<int>(steps < kGrain ? kGrain : steps < kFarDepth ? steps : kFarDepth);
}
/// Floats for a copy of the rows, and for their sums between the parts.
constexpr std::int64_t far_space(int rows, int k, int depth) {
  return std::int64_t{rows} * ((k + depth - 1) / depth * (kFarDepth + kMaxLanes) + 2 * kMaxLanes);
}

struct Isa {
  const char* name;
  int lanes;
  int native_lanes;  // of one register of the processor: 16 (AVX-512), 8 (AVX2), 4: for code that is made elsewhere
  int strip;         // columns of the left operand of a weight gradient that are computed together
  int strip_panel;   // and of the right operand
  int gradient_space;
  bool has_far_products;  // reads ProductArgs::far

  /// Runs a scalar program over one tile of n elements, a multiple of `lanes`: sets regs[dst]. Register i may live in
  /// storage + i * kTile.
  void (*run_tile)(const ScalarInstruction* code, int count, const Operand* inputs, Operand* regs, float* storage,
                   int n);
  void (*product)(const ProductArgs& args);
  /// One block of at most kSumBlock rows of a weight gradient. `space` holds gradient_space floats.
  void (*gradient_block)(const float* const* a, const float* const* b, int rows, const GradientPart& part,
                         float* space);
  /// dw [strips, a_end - a_begin, kSlice] (+)= columns [a_begin, a_end) of a and kSlice columns of b from b_begin[i]
  /// on, of the product a^T b of at most kSumBlock rows, with the bits of gradient_block. a_end - a_begin is a multiple
  /// of kSlice. Faster where there are few rows, as nothing is packed.
  void (*gradient_strips)(const float* const* a, int a_begin, int a_end, const float* const* b, const int* b_begin,
                          int strips, int rows, bool add, float* dw);
  /// out[c] (+)= sum over rows of x[r][c]; one block.
  void (*sum_block)(const float* const* x, int rows, int begin, int end, float* out, bool add);
  /// to[c * to_stride + r] = from[r * from_stride + c].
  void (*transpose)(const float* from, std::int64_t from_stride, int rows, int columns, float* to,
                    std::int64_t to_stride);
  void (*transpose_slice)(const float* from, float* to);  // the same of [kSlice, kSlice]
  void (*add_squares)(const float* x, std::int64_t count, double* sums);
  std::int32_t (*largest_magnitude)(const float* x, std::int64_t count);
  double (*square_sum)(const float* x, std::int64_t stride, int rows, int columns);
  void (*cross_entropy)(const CrossEntropy& args, std::int32_t begin, std::int32_t end);
  void (*best_words)(const float* logits, int words, ScoredWord* best, int count);
  float (*log_softmax_at)(const float* logits, int words, int word);
  /// The twin of AMX in plain code: steps * 32 of k; see Bf16Block.
  void (*bf16_tile)(const std::uint16_t* a, std::int64_t a_stride, const std::uint16_t* b, int steps, float* c);
  /// `steps` multiply-adds chain = chain * factor + term in each lane of `peak_chains` registers; returns their sum.
  float (*multiply_adds)(std::int64_t steps, float factor, float term);
  int peak_chains;

  const NamedRowKernel* row_kernels;
  int row_kernel_count;
};

/// The instruction sets that this processor can run, best first; the last is always "portable". Builds with
/// CAVS_TEST_KERNELS have one more, never the first: "avx2x2", the loops of AVX-512 on pairs of AVX2 vectors, with the
/// bits of AVX-512.
std::span<const Isa* const> available_isas();

/// The one of this name, or nullptr if it is unknown or cannot run here.
const Isa* find_isa(std::string_view name);

/// The one in use: CAVS_ISA, or the best; chosen at the first call.
/// @throws UserError if CAVS_ISA names none that can run here.
const Isa& isa();

/// Of one core, as the processor names it; 1 MiB where it names none.
std::int64_t second_cache_bytes();
/// Of a core's first cache of data, as the processor names it; else 32 KiB.
std::int64_t first_cache_bytes();
/// Whether the third cache feeds tiles of 8 x 32 at full speed, so that no rows need to be copied: AMD with AVX-512.
/// Measured on Zen 4, which does one multiply-add of 16 lanes a cycle; not on later ones, which do two.
bool third_cache_feeds_tiles(const Isa& isa);

RowKernel find_row_kernel(const Isa& isa, std::string_view name);

// The kernels of kernels.h on a given instruction set.
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
