#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cavs/parameters.h"

namespace cavs::inline v0_1 {

/// The Euclidean norm of all gradients as one vector, bit-identical for any number of workers. Adds the squares of the
/// elements in fixed blocks (16 x 16 parts of a matrix; listed rows of a table), then the sums of the blocks in order.
/// Sums are in double, so squares of finite floats do not overflow. Allocates no memory after construction. Every call
/// throws UserError for gradients of other parameters.
class GradientNorm {
 public:
  explicit GradientNorm(const Parameters& parameters);
  /// Excludes parameters from all later norms. @param parameters  [parameters]: 1 to exclude, else 0.
  void leave_out(std::span<const char> parameters);
  /// Computes the sums of the blocks of worker `worker` of `workers`.
  void share(int worker, int workers, const Gradients& gradients);
  /// Computes the sums of part `part` of `parts` of one parameter's gradient.
  void share(int part, int parts, int parameter, const Gradients& gradients);
  /// Adds rows [begin, end) of a deferred gradient, which share() skips. Workers add disjoint ranges that begin at
  /// multiples of ParameterRows::kRows.
  void add(int parameter, std::int32_t begin, std::int32_t end, const float* rows);
  /// Like add(), for one tile of kRows x kRows elements, stored contiguously, of a matrix that consists of such tiles.
  void add_square(int parameter, std::int32_t row, std::int32_t column, const float* square);
  /// The norm. Call after all calls of share(), and after adding all rows of deferred gradients. Not finite if and only
  /// if an element is not finite or rows are missing. of(p), the norm of one gradient, then finds the parameter.
  double total(const Gradients& gradients) const;
  /// The norm of all gradients that are not deferred.
  double known(const Gradients& gradients) const;
  double of(int parameter, const Gradients& gradients) const;

 private:
  struct Blocks {
    std::int64_t unit = 1;               // elements that blocks do not split: a row of a table, else one element
    std::int64_t per_block = 1;          // units per block
    std::int32_t height = 0, width = 0;  // shape of a matrix that is not a table; its blocks are tiles
    std::int32_t across = 0;             // number of tiles side by side; 0 if the parameter is not such a matrix
    bool table = false;
    std::vector<double> sums;  // [blocks]: sum of the squared elements; NaN if unknown
  };
  std::int64_t blocks_in_use(int parameter, const Gradients& gradients) const;
  double squares(int parameter, const Gradients& gradients) const;
  double sum(const Gradients& gradients, bool with_deferred) const;

  void check(const Gradients& gradients) const;

  Parameters::List parameters_;
  std::vector<Blocks> blocks_;  // [parameters]
  std::vector<char> left_out_;  // [parameters]: 1 if excluded, else 0
};

/// The factor that clips gradients, as in torch.nn.utils.clip_grad_norm_: min(1, max_norm / (norm + 1e-6)); 1 if
/// max_norm is 0 (no clipping).
float clip_scale(double norm, double max_norm);

}  // namespace cavs::inline v0_1
