#pragma once

// Optimisers' steps, for host and device.

namespace cavs::cuda {

/// The optimisers that kernels support.
enum class UpdateRule : unsigned { kSgd, kMomentum, kNesterov, kAdagrad, kAdam, kAdamW };

/// The factors of one step of one parameter. Kernels use the formulas of update/optimizer_def.h.
struct ParameterStep {
  float rate, decay, momentum, beta1, one_minus_beta1, beta2, one_minus_beta2, root_correction2, eps;
  unsigned flags;
};
constexpr unsigned kFrozen = 1;       // the parameter keeps its values, and does not count in the norm
constexpr unsigned kTouchedRows = 2;  // only the table's rows that have a gradient are updated

}  // namespace cavs::cuda
