#pragma once

// Steps of optimisers, as host and device both have them.

namespace cavs::cuda {

/// The optimisers that kernels have.
enum class UpdateRule : unsigned { kSgd, kMomentum, kNesterov, kAdagrad, kAdam, kAdamW };

/// What one step multiplies with, for one parameter. See update/optimizer_def.h, whose formulas kernels follow.
struct ParameterStep {
  float rate, decay, momentum, beta1, one_minus_beta1, beta2, one_minus_beta2, root_correction2, eps;
  unsigned flags;
};
constexpr unsigned kFrozen = 1;       // keeps its values, and counts not in the norm
constexpr unsigned kTouchedRows = 2;  // of a table, only rows that have a gradient are updated

}  // namespace cavs::cuda
