#pragma once

#include <vector>

#include "backend/cuda/device/optimizer_step.h"
#include "cavs/optimizer.h"

namespace cavs::cuda {

/// The kernels' rule for an optimiser. @throws UserError where there is none
UpdateRule rule_of(const OptimizerOptions& options);

/// What the optimiser's next step multiplies each parameter's numbers with.
std::vector<ParameterStep> steps_of(const Optimizer& optimizer);

}  // namespace cavs::cuda
