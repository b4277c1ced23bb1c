#pragma once

#include <vector>

#include "backend/cuda/device/optimizer_step.h"
#include "cavs/optimizer.h"

namespace cavs::cuda {

/// Returns the update rule of the kernels for an optimiser. @throws UserError if there is none
UpdateRule rule_of(const OptimizerOptions& options);

/// Returns the factors of the optimiser's next step, one element per parameter.
std::vector<ParameterStep> steps_of(const Optimizer& optimizer);

}  // namespace cavs::cuda
