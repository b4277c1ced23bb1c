#pragma once

#include <vector>

#include "backend/cuda/persistent/kernel_arguments.h"
#include "cavs/optimizer.h"

namespace cavs::cuda {

/// The kernel's rule for an optimiser. @throws UserError where it has none
UpdateRule rule_of(const OptimizerOptions& options);

/// What the optimiser's next step multiplies each parameter's numbers with.
std::vector<ParameterStep> steps_of(const Optimizer& optimizer);

}  // namespace cavs::cuda
