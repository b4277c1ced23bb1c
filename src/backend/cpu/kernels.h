#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "backend/cpu/aligned_floats.h"
#include "tensor/rows.h"
#include "tensor/scalar_program.h"

/// The CPU kernels. None allocates in the steady state, none throws, each computes just the rows or columns it is
/// asked for, and gives the same bits for a row whatever rows stand beside it and however the work is shared.
namespace cavs::cpu {

/// A worker's own memory, grown on demand and kept.
class Scratch {
 public:
  /// At least `count` floats, 64-byte aligned; the contents of the previous request are lost.
  float* floats(std::size_t count);

 private:
  AlignedFloats data_;
  std::size_t size_ = 0;
};

/// Element-wise: for rows [row_begin, row_end) and all columns of every output (all outputs are equally wide). Inputs
/// of width 1 are broadcast over columns, of stride 0 over rows. An output may lie exactly on top of an input.
void elementwise(const ScalarProgram& program, std::span<const ConstRows> in, std::span<const Rows> out,
                 std::int32_t row_begin, std::int32_t row_end, Scratch& scratch);

/// A weight [k, n] packed in panels of columns; padded where n is no multiple of the panel. Movable, not copyable.
class PackedWeight {
 public:
  PackedWeight(int k, int n);
  int k() const { return k_; }
  int n() const { return n_; }
  /// Panels are the unit in which a product is shared between workers.
  int panels() const;
  /// Packs panels [panel_begin, panel_end) of the row-major `w`: [k, n], or [n, k] read transposed.
  void pack(const float* w, bool transposed, int panel_begin, int panel_end);
  /// Row-major [k, panel width].
  const float* panel(int i) const;

 private:
  int k_, n_;
  AlignedFloats data_;
};

/// y[r, columns of panels] = x[r, :] * w for rows [row_begin, row_end): one chain of multiply-adds over ascending k
/// from zero, so a row's bits depend on nothing but the row. Columns outside n are not written.
void matmul(const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w, Rows y,
            int panel_begin, int panel_end, Scratch& scratch);

/// Rows that matmul_tn and sum_rows sum from zero before they join a longer sum.
inline constexpr int kSumBlock = 256;

/// Weight gradient: dw[k, n] (row-major, + when accumulate) = sum over rows of x[r, :]^T dy[r, :]. The rows are summed
/// in blocks from zero, then the blocks are added in order (to dw when accumulate); worker `worker` of `workers`
/// computes its own part of dw, with the same bits for any number of workers.
void matmul_tn(const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw, bool accumulate, int worker,
               int workers, Scratch& scratch);

/// out[c] (+ when accumulate) = sum over rows of x[r, c], blocks of rows as in matmul_tn; columns are shared. The width
/// of x is the number of columns.
void sum_rows(const ConstRows& x, std::int32_t rows, float* out, bool accumulate, int worker, int workers);

/// Table gradient: for each i in [0, count): dtable[table_rows[i], :] += sum over j in [offsets[i], offsets[i+1]) of
/// dy[rows[j], :], in order of j from zero. Rows of dtable are dy.width apart. Shared by columns.
void lookup_grad(const ConstRows& dy, const std::int32_t* table_rows, const std::int32_t* offsets,
                 const std::int32_t* rows, std::int32_t count, float* dtable, int worker, int workers);

/// What identifies a random number: never the row, so that it survives policy, batch size and threads.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0, node = 0;
  const std::uint32_t* sample = nullptr;  // [rows]
  const std::uint32_t* vertex = nullptr;  // [rows]
};

/// What dropout multiplies this element by: 0 with the given probability, else 1 / (1 - probability).
float dropout_factor(const RandomKey& key, std::int32_t row, std::int32_t column, float probability);

/// Arguments of a kernel that works row by row.
struct RowArgs {
  ConstRows in[4] = {};
  const std::int32_t* labels = nullptr;    // [rows]; index operand (class of a row, -1 for none)
  const std::int32_t* segments = nullptr;  // [rows + 1]; reductions over edges: in[0] rows [segments[r], segments[r+1])
  Rows out = {};
  float attribute = 0;  // epsilon, drop probability
  RandomKey random = {};
};
using RowKernel = void (*)(const RowArgs&, std::int32_t row_begin, std::int32_t row_end, Scratch&);

/// The row kernel of the operator of this name, or nullptr. in[] are the operator's inputs in order, labels skipped.
/// Inputs of one number a row are [1]. The widths are those of in[0], for copy and children's kernels of out.
///
///   copy(x)  softmax(x)  log_softmax(x)  sum_features(x)  mean_features(x)  max_features(x)  dot(a, b)
///   max_features_grad(x, y, dy): dx; the first largest column takes dy
///   layer_norm(x) without affine part, attribute = epsilon     layer_norm_grad(x, dy), attribute = epsilon
///   softmax_cross_entropy(x, label): [1], 0 where label is -1   softmax_cross_entropy_grad(x, label, dy): dx
///   sum_children(x)  mean_children(x)  max_children(x): over segments; 0 for no children
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

/// Multiply-adds on registers alone, in enough chains to hide their latency: what a processor's peak is measured with.
/// @return floating-point operations that it did, in proportion to `steps` (a few nanoseconds each).
double multiply_adds(std::int64_t steps);

/// "avx512", "avx2" or "portable": the instruction set that the kernels use in this process. CAVS_ISA overrides.
/// @throws UserError if CAVS_ISA names one that this processor cannot run. So do the kernels, if this was never called.
std::string_view instruction_set();

}  // namespace cavs::cpu
