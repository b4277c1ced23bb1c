#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cavs/parameters.h"

namespace cavs::inline v0_1 {

/// The Euclidean norm of all gradients as one vector, with the same bits for any number of workers: fixed blocks of
/// elements (of a matrix: squares of 16; of a table: of its rows in the order listed), summed in double, then the
/// blocks in order. Exact for any finite floats: squares do not overflow. Nothing is allocated after construction.
/// Every call throws UserError for gradients of other parameters.
class GradientNorm {
 public:
  explicit GradientNorm(const Parameters& parameters);
  /// From now on these count as zero. @param parameters  [parameters]: 1 where one is left out
  void leave_out(std::span<const char> parameters);
  /// Worker `worker` of `workers` sums its blocks.
  void share(int worker, int workers, const Gradients& gradients);
  /// A part of one parameter's, which is of the norm's parameters.
  void share(int part, int parts, int parameter, const Gradients& gradients);
  /// Adds rows [begin, end) of a deferred gradient, which share() leaves out. Workers add disjoint multiples of
  /// ParameterRows::kRows.
  void add(int parameter, std::int32_t begin, std::int32_t end, const float* rows);
  /// The same for a square of so many rows and columns, in a matrix that is made of such squares.
  void add_square(int parameter, std::int32_t row, std::int32_t column, const float* square);
  /// The norm, after all calls of share() and, for deferred gradients, after all of their rows were added. It is not
  /// finite if, and only if, an element is not finite or rows are missing; then of(p) tells which parameter it is.
  double total(const Gradients& gradients) const;
  /// The norm without the deferred gradients.
  double known(const Gradients& gradients) const;
  double of(int parameter, const Gradients& gradients) const;

 private:
  struct Blocks {
    std::int64_t unit = 1;               // elements that stay together: a row of a table
    std::int64_t per_block = 1;          // units
    std::int32_t height = 0, width = 0;  // of a matrix that is no table
    std::int32_t across = 0;             // squares, of such a matrix
    bool table = false;
    std::vector<double> sums;
  };
  std::int64_t blocks_in_use(int parameter, const Gradients& gradients) const;
  double squares(int parameter, const Gradients& gradients) const;
  double sum(const Gradients& gradients, bool with_deferred) const;

  void check(const Gradients& gradients) const;

  Parameters::List parameters_;
  std::vector<Blocks> blocks_;
  std::vector<char> left_out_;  // [parameters]
};

/// The factor by which gradients are scaled when they are clipped, as in torch.nn.utils.clip_grad_norm_:
/// min(1, max_norm / (norm + 1e-6)); 1 if max_norm is 0 (no clipping).
float clip_scale(double norm, double max_norm);

}  // namespace cavs::inline v0_1
