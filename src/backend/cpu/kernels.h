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

/// The CPU kernels. They never throw, and allocate memory only to grow a Scratch. Each call computes only the rows or
/// columns that are asked for. The bits of a row depend neither on other rows nor on how workers share the work.
namespace cavs::cpu {

/// Temporary memory of one worker for kernels. It grows on demand, and is freed with the object.
class Scratch {
 public:
  /// Returns at least `count` floats, 64-byte aligned and uninitialised. Memory from the previous call becomes invalid.
  float* floats(std::size_t count);
  std::size_t size() const { return size_; }

 private:
  AlignedFloats data_;
  std::size_t size_ = 0;
};

/// Computes rows [row_begin, row_end) and all columns of every output; all outputs have the same width. Inputs of width
/// 1 are broadcast over columns, inputs of stride 0 over rows. An output may be in the memory of an input.
void elementwise(const ScalarProgram& program, std::span<const ConstRows> in, std::span<const Rows> out,
                 std::int32_t row_begin, std::int32_t row_end, Scratch& scratch);

/// Precision to which products of matrices round their operands. Sums are in fp32.
enum class Precision : std::uint8_t { kFp32, kBf16 };

/// Returns the name of the instruction set for products of bf16: "amx", "avx512_bf16" or, where that instruction is
/// slow, "avx512_bf16_fma"; "emulated" if CAVS_BF16=emulate; "" if products of bf16 cannot run.
/// @throws UserError if CAVS_BF16 has any other value.
std::string_view bf16_instruction_set();

struct Bf16Isa;

/// Prepares this thread for products of bf16 during the object's lifetime. AMX needs a tile configuration, which each
/// call would otherwise load and release. A nested scope does nothing. No scope may exist when a thread leaves the
/// library, because other code may use the tiles.
class TileScope {
 public:
  explicit TileScope(Precision precision);
  explicit TileScope(const Bf16Isa* isa);
  ~TileScope();
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;

 private:
  const Bf16Isa *before_, *began_ = nullptr;  // prepared by an outer scope; prepared by this scope, or nullptr
};

/// Number of columns in a slice of a packed weight.
inline constexpr int kSlice = 16;

/// Weights [k, n] of one or more parameters side by side, packed in slices of kSlice columns. Widths that are not a
/// multiple of kSlice are padded. If all parameters consist of gates (blocks of columns) of one width, the slices with
/// columns [c, c + kSlice) of every gate are neighbours, for each c. Movable, not copyable.
class PackedWeight {
 public:
  struct Slice {
    int part, column, columns;  // parameter, its first column in the slice, and number of columns without padding
  };

  PackedWeight(int k, int n, Precision precision = Precision::kFp32, const Bf16Isa* bf16 = nullptr)
      : PackedWeight(k, std::vector{n}, 0, precision, bf16) {}
  /// @param widths  [parts]: number of columns of each parameter
  /// @param gate  columns of a gate, a divisor of all widths; 0 if the slices are in the order of the columns
  /// @param precision  kBf16 only if bf16_instruction_set() is not empty
  /// @param bf16  for kBf16: instruction set whose products will read the weight; nullptr means bf16_isa()
  PackedWeight(int k, const std::vector<int>& widths, int gate, Precision precision = Precision::kFp32,
               const Bf16Isa* bf16 = nullptr);
  /// Makes a weight without memory. lie_at() must be called before any other use.
  static PackedWeight without_memory(int k, const std::vector<int>& widths, int gate, Precision precision);
  /// Uses size() floats at `memory`, which are zero and 64-byte aligned. They must outlive this object.
  void lie_at(float* memory) { data_ = memory; }
  std::int64_t size() const { return static_cast<std::int64_t>(slices_.size()) * slice_size(); }
  int k() const { return k_; }
  Precision precision() const { return precision_; }
  int parts() const { return parts_; }
  /// Number of units. Workers share a product by units. A unit is one slice, or the neighbouring slices of all gates.
  int units() const { return units_; }
  int slices_of(int units) const { return units * slices_in_unit_; }  // number of slices in so many units
  /// Packs rows [row_begin, row_end) of a parameter, [k, n]. If `transposed`, the parameter is [n, k] and its transpose
  /// is packed. `rows` points to row row_begin of the parameter, row-major. Threads may pack disjoint ranges at the
  /// same time if the ranges begin at multiples of kSlice.
  void pack(int part, const float* rows, bool transposed, int row_begin, int row_end);
  /// Writes rows [row_begin, row_end) of a parameter, which was not packed transposed, to `rows`. Only for fp32.
  void unpack(int part, int row_begin, int row_end, float* rows) const;
  /// True if the part consists of squares, [kSlice, kSlice], each contiguous in memory: in fp32, without padding.
  bool has_squares(int part) const;
  /// Returns the address of the square whose first element is (row, column) of the packed matrix. It is row-major.
  float* square(int part, int row, int column) {
    return data_ + slice_at_[part][column / kSlice] * std::int64_t{k_} * kSlice + std::int64_t{row} * kSlice;
  }
  const Slice& slice(int i) const { return slices_[static_cast<std::size_t>(i)]; }
  /// Returns slice i, row-major [k, kSlice]. In bf16 it is [k / 2 rounded up to 16, kSlice, 2]; see place_in_slice().
  const float* slice_data(int i) const;
  std::int64_t slice_size() const;  // floats that a slice occupies

 private:
  struct Layout {};
  PackedWeight(int k, const std::vector<int>& widths, int gate, Precision precision, const Bf16Isa* bf16, Layout);

  int k_, parts_, units_ = 0, slices_in_unit_ = 1;
  Precision precision_;
  const Bf16Isa* bf16_ = nullptr;
  std::vector<int> widths_;
  std::vector<Slice> slices_;
  std::vector<std::vector<int>> slice_at_;  // [parts][column / kSlice]: number of the slice
  AlignedFloats own_;
  float* data_ = nullptr;
};

/// Where a product writes the columns of one part of the weight.
struct ProductOut {
  Rows rows;
  bool add = false;  // true to add to the destination, false to overwrite
};

/// Most rows of x that are multiplied by all slices before the next rows are read, so that they stay in the cache.
inline constexpr int kRowBlock = 192;

/// Computes y[part][r, :] = x[r, :] * part of w, for rows [row_begin, row_end) and the columns of units [unit_begin,
/// unit_end). In fp32, an element is one chain of multiply-adds over ascending k, which begins with zero.
void matmul(const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch);
inline void matmul(const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w, Rows y,
                   int unit_begin, int unit_end, Scratch& scratch) {
  const ProductOut out[] = {{y}};
  matmul(x, row_begin, row_end, w, out, unit_begin, unit_end, scratch);
}

/// Rows of a block. matmul_tn and sum_rows sum each block of rows from zero, and then add the sums of the blocks.
inline constexpr int kSumBlock = 256;

/// Weight gradient: dw[k, n] (row-major; += if accumulate) = sum over rows of x[r, :]^T dy[r, :]. Blocks of rows are
/// summed from zero and then added in order (to dw if accumulate). Worker `worker` of `workers` computes a part of dw.
/// The bits do not depend on the number of workers.
void matmul_tn(const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw, bool accumulate, int worker,
               int workers, Scratch& scratch, Precision precision = Precision::kFp32);

/// Computes out[c] (+= if accumulate) = sum over rows of x[r, c], in blocks of rows as matmul_tn does. Workers share
/// the columns. The width of x is the number of columns.
void sum_rows(const ConstRows& x, std::int32_t rows, float* out, bool accumulate, int worker, int workers);

/// Transposes a matrix [kSlice, kSlice]: to[c][r] = from[r][c].
void transpose_square(const float* from, float* to);

/// Adds the square of each x[i] to sums[i % kSquareLanes]. The order of additions does not depend on vector widths.
inline constexpr int kSquareLanes = 16;
void add_squares(std::span<const float> x, double* sums);
/// Returns the sum of the kSquareLanes sums, in ascending order.
double sum_of(const double (&sums)[kSquareLanes]);
/// Returns the bits of the largest |x[i]|, or of a NaN if there is one (they exceed infinity's); 0 if x is empty.
std::int32_t largest_magnitude(std::span<const float> x);
/// Returns the sum of the squares of a matrix with at most kSquareLanes columns, in double. Rows are `stride` floats
/// apart. The order of additions is that of kSquareLanes columns; missing columns count as zeros.
double square_sum(const float* x, std::int64_t stride, int rows, int columns);

/// Addresses of the rows of x [k] and dy [n] over which gradient_strips() sums. There are at most kSumBlock rows. They
/// form one or more sums. Sum s has rows [ends[s - 1], ends[s]). Each sum begins with zero; the sums are then added.
struct GradientRows {
  const float *x[kSumBlock], *dy[kSumBlock];
  std::vector<int> ends;
};
/// Appends rows [0, count) of x and dy as one sum. `zeros`, a row as wide as x and dy, replaces rows with index -1.
void add_rows(GradientRows& to, const ConstRows& x, const ConstRows& dy, std::int32_t count, const float* zeros);
/// Computes strips of the weight gradient [k, n]. Strip i has rows [row_begin, row_end), a multiple of kSlice rows, and
/// columns [columns[i], columns[i] + kSlice), which must exist. The strips are written one after another, each
/// row-major. They are bit-identical to matmul_tn in fp32. Two strips per call are fastest.
void gradient_strips(const GradientRows& rows, int row_begin, int row_end, std::span<const int> columns, float* dw);

/// Table gradient: for each i in [0, count), dtable[table_rows[i], :] += sum over j in [offsets[i], offsets[i+1]) of
/// dy[rows[j], :], in blocks of rows as in matmul_tn. Rows of dtable are dy.width apart. Workers share the columns.
void lookup_grad(const ConstRows& dy, const std::int32_t* table_rows, const std::int32_t* offsets,
                 const std::int32_t* rows, std::int32_t count, float* dtable, int worker, int workers);

/// Key of random numbers. It does not contain the row number, so numbers depend on no policy, batch size or thread.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0, node = 0;
  const std::uint32_t* sample = nullptr;  // [rows]: number of the sample in the data set
  const std::uint32_t* vertex = nullptr;  // [rows]: vertex, or child slot of an edge; nullptr for one mask per sample
};

/// Returns the factor of dropout for an element: 0 with the given probability, else 1 / (1 - probability).
float dropout_factor(const RandomKey& key, std::int32_t row, std::int32_t column, float probability);

/// Arguments of a kernel that works row by row.
struct RowArgs {
  ConstRows in[4] = {};
  const std::int32_t* labels = nullptr;    // [rows]: label, or another index operand; -1 for none
  const std::int32_t* segments = nullptr;  // [rows + 1]: row r reduces rows [segments[r], segments[r+1]) of in[0]
  Rows out = {};
  float attribute = 0;           // epsilon of layer_norm, drop probability of dropout_mask
  std::int32_t matrix_rows = 0;  // rows of the result of batch_matmul
  RandomKey random = {};
  Window window = {};
};
using RowKernel = void (*)(const RowArgs&, std::int32_t row_begin, std::int32_t row_end, Scratch&);

/// Returns the row kernel with this name, or nullptr. RowArgs::in has the inputs in the order of this list, without
/// labels. Inputs with one number per row have the shape [1]. The width is that of in[0]; for copy and the kernels over
/// children it is that of out.
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
///   batch_matmul_left(x, y): transpose of [k, m] times [k, n]   batch_matmul_right(x, y): [m, k] times transpose of
///   [n, k] batch_matmul_sum(x, y, z, w): batch_matmul(x, y) + batch_matmul(z, w), bit-identical diagonal(x): [n] as
///   the diagonal of [n, n]   diagonal_gradient(dy): its diagonal unfold(x): image -> [positions, pixels of the window]
///   fold(dy): its gradient max_pool2d(x)  average_pool2d(x): [positions, channels]   max_pool2d_grad(x, y, dy)
///   average_pool2d_grad(dy): dx;
///     the first largest pixel of a window takes its dy
///   sum_children(x)  mean_children(x)  max_children(x): over segments; 0 for no children
///   softmax_children(x): over segments, one row per edge
///   max_children_grad(x, y, dy): one row per edge: out rows are [segments[r], segments[r+1]) for vertex rows r; the
///     first largest child takes dy
///   mean_children_grad(dy): one row per edge, as above: dy / number of children
///   dropout_mask(): 0 with probability attribute, else 1 / (1 - attribute), by Philox of the random key and column
RowKernel find_row_kernel(std::string_view name);

/// Arguments of cross_entropy.
struct CrossEntropy {
  Rows logits = {};                      // [rows, n], without the bias; overwritten
  const float* bias = nullptr;           // [n], or nullptr
  const std::int32_t* labels = nullptr;  // [rows]; -1 means no loss
  Rows loss = {};                        // [rows, 1]
  bool gradient = false;  // true to replace the logits by (softmax - one-hot) * dy; else they become undefined
  float dy = 0;           // gradient of the result by each row's loss
};

/// Computes the loss of each row, and the gradient if asked for, with one exp per logit. Both are bit-identical to
/// softmax_cross_entropy and softmax_cross_entropy_grad of logits + bias.
void cross_entropy(const CrossEntropy& args, std::int32_t row_begin, std::int32_t row_end);

/// Finds the words with the largest log_softmax of a row, largest first. If scores are equal, the first word wins.
/// Scores are bit-identical to log_softmax. A score of minus infinity is skipped. If log_softmax is NaN for a word, no
/// word is found.
/// Cost: one exp per word, and little more if best.size() is at most four vectors.
void best_words(std::span<const float> logits, std::span<ScoredWord> best);
/// Returns log_softmax of the logits at `word`, bit-identical to the kernel log_softmax.
float log_softmax_at(std::span<const float> logits, int word);

/// Runs multiply-adds on registers alone, in enough chains to hide their latency, to measure the processor's peak. With
/// bf16, runs the instructions of bf16 products; on AMX this needs a TileScope.
/// @return number of floating-point operations done, in proportion to `steps` (a few nanoseconds each).
double multiply_adds(std::int64_t steps, Precision precision = Precision::kFp32);

/// Returns the instruction set of the kernels in this process: "avx512", "avx2" or "portable". CAVS_ISA overrides the
/// choice.
/// @throws UserError if CAVS_ISA is no instruction set that can run here. The first call of any kernel throws it, too.
std::string_view instruction_set();

}  // namespace cavs::cpu
