#include "execute/cuda/optimizer_steps.h"

#include "support/check.h"
#include "update/optimizer_access.h"

namespace cavs::cuda {

UpdateRule rule_of(const OptimizerOptions& o) {
  if (o.kind == "adagrad") return UpdateRule::kAdagrad;
  if (o.kind == "adam") return UpdateRule::kAdam;
  if (o.kind == "adamw") return UpdateRule::kAdamW;
  user_check(o.kind == "sgd", "optimiser '{}' is not available on a GPU; use device cpu", o.kind);
  return o.momentum == 0 ? UpdateRule::kSgd : o.nesterov ? UpdateRule::kNesterov : UpdateRule::kMomentum;
}

std::vector<ParameterStep> steps_of(const Optimizer& optimizer) {
  using detail::OptimizerAccess;
  const OptimizerOptions& o = optimizer.options();
  const bool skips_rows = o.sparse_updates || OptimizerAccess::rule(optimizer).skips_zero_gradients(o);
  std::vector<ParameterStep> steps;
  for (const ParameterInfo& info : *optimizer.parameters()) {
    const auto p = static_cast<int>(steps.size());
    const StepScalars s = OptimizerAccess::scalars(optimizer, p);
    const unsigned flags = (info.table && skips_rows ? kTouchedRows : 0) | (optimizer.frozen()[p] != 0 ? kFrozen : 0);
    steps.push_back({s.rate, s.decay, s.momentum, s.beta1, s.one_minus_beta1, s.beta2, s.one_minus_beta2,
                     s.root_correction2, s.eps, flags});
  }
  return steps;
}

}  // namespace cavs::cuda
