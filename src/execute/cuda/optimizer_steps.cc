#include "execute/cuda/optimizer_steps.h"

#include "support/check.h"
#include "update/optimizer_access.h"

namespace cavs::cuda {
namespace {

using detail::OptimizerAccess;

ParameterStep step_of(const Optimizer& optimizer, const ParameterInfo& info, int p) {
  const StepScalars s = OptimizerAccess::scalars(optimizer, p);
  const OptimizerOptions& o = optimizer.options();
  const bool touched = info.table && (o.sparse_updates || OptimizerAccess::rule(optimizer).skips_zero_gradients(o));
  return {s.rate,
          s.decay,
          s.momentum,
          s.beta1,
          s.one_minus_beta1,
          s.beta2,
          s.one_minus_beta2,
          s.root_correction2,
          s.eps,
          (touched ? kTouchedRows : 0) | (optimizer.frozen()[p] != 0 ? kFrozen : 0)};
}

}  // namespace

UpdateRule rule_of(const OptimizerOptions& o) {
  if (o.kind == "adagrad") return UpdateRule::kAdagrad;
  if (o.kind == "adam") return UpdateRule::kAdam;
  if (o.kind == "adamw") return UpdateRule::kAdamW;
  user_check(o.kind == "sgd", "the kernels of a GPU have no optimiser '{}'; use device cpu", o.kind);
  return o.momentum == 0 ? UpdateRule::kSgd : o.nesterov ? UpdateRule::kNesterov : UpdateRule::kMomentum;
}

std::vector<ParameterStep> steps_of(const Optimizer& optimizer) {
  std::vector<ParameterStep> steps;
  for (const ParameterInfo& info : *optimizer.parameters())
    steps.push_back(step_of(optimizer, info, static_cast<int>(steps.size())));
  return steps;
}

}  // namespace cavs::cuda
