#pragma once

#include <vector>

#include "backend/cuda/device/optimizer_step.h"
#include "cavs/optimizer.h"

namespace cavs::cuda {

/// The update rule that kernels have for an optimiser. @throws UserError if there is none
UpdateRule rule_of(const OptimizerOptions& options);

/// The factors of the optimiser's next step, for each parameter.
std::vector<ParameterStep> steps_of(const Optimizer& optimizer);

}  // namespace cavs::cuda
