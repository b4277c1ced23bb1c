#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backend/cpu/aligned_floats.h"
#include "support/split_range.h"
#include "tensor/rows.h"
#include "tensor/scalar_program.h"
#include "tensor/scored_word.h"
#include "tensor/window.h"

/// The CPU kernels. None allocates in the steady state, none throws, each computes just the rows or columns it is
/// asked for, and gives the same bits for a row whatever rows stand beside it and however the work is shared.
namespace cavs::cpu {

/// A worker's own memory, grown on demand and kept.
class Scratch {
 public:
  /// At least `count` floats, 64-byte aligned; the contents of the previous request are lost.
  float* floats(std::size_t count);
  std::size_t size() const { return size_; }

 private:
  AlignedFloats data_;
  std::size_t size_ = 0;
};

/// Element-wise: for rows [row_begin, row_end) and all columns of every output (all outputs are equally wide). Inputs
/// of width 1 are broadcast over columns, of stride 0 over rows. An output may lie exactly on top of an input.
void elementwise(const ScalarProgram& program, std::span<const ConstRows> in, std::span<const Rows> out,
                 std::int32_t row_begin, std::int32_t row_end, Scratch& scratch);

/// What the operands of products are rounded to; sums are fp32.
enum class Precision : std::uint8_t { kFp32, kBf16 };

/// Whether products of bf16 can run: "amx", "avx512_bf16" or, where that instruction is slow, "avx512_bf16_fma";
/// "emulated" where CAVS_BF16=emulate; else empty.
/// @throws UserError if CAVS_BF16 holds anything else.
std::string_view bf16_instruction_set();

struct Bf16Isa;

/// While one lives, the processor is prepared for this thread's products of bf16: AMX needs its tiles' configuration,
/// which would otherwise be loaded and dropped by every call. One within another does nothing. A thread that leaves the
/// library must have none: others may use the tiles, too.
class TileScope {
 public:
  explicit TileScope(Precision precision);
  explicit TileScope(const Bf16Isa* isa);
  ~TileScope();
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;

 private:
  const Bf16Isa *before_, *began_ = nullptr;
};

/// Columns of a packed weight's slice.
inline constexpr int kSlice = 16;

/// Weights [k, n] of one or more parameters side by side, packed in slices of some columns; padded where a width is no
/// multiple of that. Where all are made of gates of one width, slices of the same columns of every gate follow each
/// other. Movable, not copyable.
class PackedWeight {
 public:
  struct Slice {
    int part, column, columns;
  };

  PackedWeight(int k, int n, Precision precision = Precision::kFp32, const Bf16Isa* bf16 = nullptr)
      : PackedWeight(k, std::vector{n}, 0, precision, bf16) {}
  /// @param widths  columns of each part
  /// @param gate    width of a gate, which divides all of them; 0: not interleaved
  /// @param precision  kBf16 only where bf16_instruction_set() names one
  /// @param bf16  of bf16: whose products read it; nullptr: those that this process uses
  PackedWeight(int k, const std::vector<int>& widths, int gate, Precision precision = Precision::kFp32,
               const Bf16Isa* bf16 = nullptr);
  /// Without memory: lie_at() gives it some before anything else is done with it.
  static PackedWeight without_memory(int k, const std::vector<int>& widths, int gate, Precision precision);
  /// Lies in size() floats of zeros that outlive it, 64-byte aligned.
  void lie_at(float* memory) { data_ = memory; }
  std::int64_t size() const { return static_cast<std::int64_t>(slices_.size()) * slice_size(); }
  int k() const { return k_; }
  Precision precision() const { return precision_; }
  int parts() const { return parts_; }
  /// What a product is shared in: a slice, or the same columns of every gate.
  int units() const { return units_; }
  int slices_of(int units) const { return units * slices_in_unit_; }
  /// Packs rows [row_begin, row_end) of a part, row-major from the first of them on: of [k, n], or of [n, k] read
  /// transposed. Disjoint multiples of kSlice rows may be packed at once.
  void pack(int part, const float* rows, bool transposed, int row_begin, int row_end);
  /// What pack() was given of a part that is not transposed; of fp32 only.
  void unpack(int part, int row_begin, int row_end, float* rows) const;
  /// Whether squares of kSlice rows and columns of a part, counted from its first ones, lie in the pack in one piece:
  /// of fp32, and no slice is padded. @param transposed  as pack() was told
  bool has_squares(int part) const;
  /// Where the square lies: row-major [kSlice, kSlice] of what was packed, transposed where that was read transposed.
  float* square(int part, int row, int column) {
    return data_ + slice_at_[part][column / kSlice] * std::int64_t{k_} * kSlice + std::int64_t{row} * kSlice;
  }
  const Slice& slice(int i) const { return slices_[static_cast<std::size_t>(i)]; }
  /// Row-major [k, kSlice]; of bf16: pairs of k, [k / 2 rounded up to 16, kSlice, 2], as Bf16Isa::pair_distance says.
  const float* slice_data(int i) const;
  std::int64_t slice_size() const;  // floats

 private:
  struct Layout {};
  PackedWeight(int k, const std::vector<int>& widths, int gate, Precision precision, const Bf16Isa* bf16, Layout);

  int k_, parts_, units_ = 0, slices_in_unit_ = 1;
  Precision precision_;
  const Bf16Isa* bf16_ = nullptr;
  std::vector<int> widths_;
  std::vector<Slice> slices_;
  std::vector<std::vector<int>> slice_at_;  // [parts][column / kSlice]
  AlignedFloats own_;
  float* data_ = nullptr;
};

/// Where a part of a product goes.
struct ProductOut {
  Rows rows;
  bool add = false;  // the finished sum to what is there
};

/// Rows that pass through all slices of a weight together, so that they stay in the cache.
inline constexpr int kRowBlock = 192;

/// y[part][r, :] = x[r, :] * part of w for rows [row_begin, row_end) and the columns of the units: one chain of
/// multiply-adds over ascending k from zero, so a row's bits depend on nothing but the row.
void matmul(const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch);
inline void matmul(const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w, Rows y,
                   int unit_begin, int unit_end, Scratch& scratch) {
  const ProductOut out[] = {{y}};
  matmul(x, row_begin, row_end, w, out, unit_begin, unit_end, scratch);
}

/// Rows that matmul_tn and sum_rows sum from zero before they join a longer sum.
inline constexpr int kSumBlock = 256;

/// Weight gradient: dw[k, n] (row-major, + when accumulate) = sum over rows of x[r, :]^T dy[r, :]. The rows are summed
/// in blocks from zero, then the blocks are added in order (to dw when accumulate); worker `worker` of `workers`
/// computes its own part of dw, with the same bits for any number of workers.
void matmul_tn(const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw, bool accumulate, int worker,
               int workers, Scratch& scratch, Precision precision = Precision::kFp32);

/// out[c] (+ when accumulate) = sum over rows of x[r, c], blocks of rows as in matmul_tn; columns are shared. The width
/// of x is the number of columns.
void sum_rows(const ConstRows& x, std::int32_t rows, float* out, bool accumulate, int worker, int workers);

/// to[c][r] = from[r][c], [kSlice, kSlice].
void transpose_square(const float* from, float* to);

/// Adds the square of x[i] to sums[i % kSquareLanes], so that the order of additions is the same whatever the vectors.
inline constexpr int kSquareLanes = 16;
void add_squares(std::span<const float> x, double* sums);
double sum_of(const double (&sums)[kSquareLanes]);
/// The bits of the largest |x|; of a NaN where there is one, which are above those of infinity. 0 of no number.
std::int32_t largest_magnitude(std::span<const float> x);
/// Sum of the squares of at most kSquareLanes columns of rows that are `stride` apart, in double; the order of
/// additions is fixed, and the columns that are not there count as zeros.
double square_sum(const float* x, std::int64_t stride, int rows, int columns);

/// The rows that a weight gradient sums, as addresses: x of [row][k], dy of [row][n]. At most kSumBlock; row i belongs
/// to the sum s with ends[s - 1] <= i < ends[s]. Every sum is finished before it joins the others.
struct GradientRows {
  const float *x[kSumBlock], *dy[kSumBlock];
  std::vector<int> ends;
};
/// Adds rows [0, count) as one sum. `zeros`: as many as x or dy is wide; they stand for a row with index -1.
void add_rows(GradientRows& to, const ConstRows& x, const ConstRows& dy, std::int32_t count, const float* zeros);
/// Rows [row_begin, row_end) of the gradient, a multiple of kSlice, of kSlice columns from each of `columns` on: strips
/// one after the other, each row-major, with the bits of matmul_tn in fp32. All of them lie in the gradient. Two at a
/// time are fastest.
void gradient_strips(const GradientRows& rows, int row_begin, int row_end, std::span<const int> columns, float* dw);

/// Table gradient: for each i in [0, count): dtable[table_rows[i], :] += sum over j in [offsets[i], offsets[i+1]) of
/// dy[rows[j], :], blocks of rows as in matmul_tn. Rows of dtable are dy.width apart. Shared by columns.
void lookup_grad(const ConstRows& dy, const std::int32_t* table_rows, const std::int32_t* offsets,
                 const std::int32_t* rows, std::int32_t count, float* dtable, int worker, int workers);

/// What identifies a random number: never the row, so that it survives policy, batch size and threads.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0, node = 0;
  const std::uint32_t* sample = nullptr;  // [rows]
  const std::uint32_t* vertex = nullptr;  // [rows]; of edges the child slot; null: one mask for all of a sample
};

/// What dropout multiplies this element by: 0 with the given probability, else 1 / (1 - probability).
float dropout_factor(const RandomKey& key, std::int32_t row, std::int32_t column, float probability);

/// Arguments of a kernel that works row by row.
struct RowArgs {
  ConstRows in[4] = {};
  const std::int32_t* labels = nullptr;    // [rows]; index operand (class of a row, -1 for none)
  const std::int32_t* segments = nullptr;  // [rows + 1]; reductions over edges: in[0] rows [segments[r], segments[r+1])
  Rows out = {};
  float attribute = 0;           // epsilon, drop probability
  std::int32_t matrix_rows = 0;  // of the result of a product of two matrices
  RandomKey random = {};
  Window window = {};
};
using RowKernel = void (*)(const RowArgs&, std::int32_t row_begin, std::int32_t row_end, Scratch&);

/// The row kernel of the operator of this name, or nullptr. in[] are the operator's inputs in order, labels skipped.
/// Inputs of one number a row are [1]. The widths are those of in[0], for copy and children's kernels of out.
///
///   copy(x)  softmax(x)  log_softmax(x)  sum_features(x)  mean_features(x)  max_features(x)  dot(a, b)
///   max_features_grad(x, y, dy): dx; the first largest column takes dy
///   log_sum_exp(x): [1]   hard_max(x): 1 at the first largest column, else 0
///   one_hot(index): 1 at the index, zeros where it is -1
///   log_matmul(x, w): [k] and [k, n] -> log of the sum over i of exp(x_i + w_ij)   max_matmul(x, w): the largest
///   log_matmul_grad(x, w, y, dy), max_matmul_grad(x, w, y, dy): [k, n], the gradient by x_i + w_ij
///   layer_norm(x) without affine part, attribute = epsilon     layer_norm_grad(x, dy), attribute = epsilon
///   softmax_cross_entropy(x, label): [1], 0 where label is -1   softmax_cross_entropy_grad(x, label, dy): dx
///   batch_matmul(x, y): [m, k] times [k, n] of each row; m = matrix_rows, n = width of out / m
///   batch_matmul_left(x, y): transpose of [k, m] times [k, n]   batch_matmul_right(x, y): [m, k] times that of [n, k]
///   batch_matmul_sum(x, y, z, w): batch_matmul(x, y) + batch_matmul(z, w), to the bit
///   diagonal(x): [n] as the diagonal of [n, n]   diagonal_gradient(dy): its diagonal
///   unfold(x): [positions, what the window sees] of an image   fold(dy): its gradient
///   max_pool2d(x)  average_pool2d(x): [positions, channels]   max_pool2d_grad(x, y, dy)  average_pool2d_grad(dy): dx;
///     the first largest pixel of a window takes its dy
///   sum_children(x)  mean_children(x)  max_children(x): over segments; 0 for no children
///   softmax_children(x): over segments, one row an edge
///   max_children_grad(x, y, dy): one row an edge: out rows are [segments[r], segments[r+1]) for vertex rows r; the
///     first largest child takes dy
///   mean_children_grad(dy): one row an edge, as above: dy / number of children
///   dropout_mask(): 0 with probability attribute, else 1 / (1 - attribute), by Philox of the random key and column
RowKernel find_row_kernel(std::string_view name);

/// Arguments of cross_entropy.
struct CrossEntropy {
  Rows logits = {};                      // [rows, n] without the bias; overwritten
  const float* bias = nullptr;           // [n], or none
  const std::int32_t* labels = nullptr;  // [rows]; -1: no loss
  Rows loss = {};                        // [rows, 1]
  bool gradient = false;                 // leave (softmax - one-hot) * dy in the logits' place, else anything
  float dy = 0;
};

/// What softmax_cross_entropy and softmax_cross_entropy_grad give for logits + bias, to the bit, with one exp a logit.
void cross_entropy(const CrossEntropy& args, std::int32_t row_begin, std::int32_t row_end);

/// The words of the largest log_softmax of a row, to the bit, largest first, of equal ones the first. Minus infinity is
/// passed over; where log_softmax is not a number (NaN), for one word or for all, there are none.
/// Cost: one exp a word, and little more where best.size() is at most four vectors.
void best_words(std::span<const float> logits, std::span<ScoredWord> best);
/// log_softmax of one word, to the bit.
float log_softmax_at(std::span<const float> logits, int word);

/// Multiply-adds on registers alone, in enough chains to hide their latency: what a processor's peak is measured with.
/// Of bf16: what its products are made of here, on AMX tiles (in a TileScope).
/// @return floating-point operations that it did, in proportion to `steps` (a few nanoseconds each).
double multiply_adds(std::int64_t steps, Precision precision = Precision::kFp32);

/// "avx512", "avx2" or "portable": the instruction set that the kernels use in this process. CAVS_ISA overrides.
/// @throws UserError if CAVS_ISA names one that this processor cannot run. So do the kernels, if this was never called.
std::string_view instruction_set();

}  // namespace cavs::cpu
