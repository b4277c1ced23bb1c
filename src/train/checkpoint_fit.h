#pragma once

#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/parameters.h"

namespace cavs::inline v0_1 {

/// Checks that the checkpoint has a tensor of the right shape for each parameter. Call before allocating the
/// parameters, because a short file may declare any shapes. @throws UserError that lists all tensors that do not fit.
void check_fit(const Checkpoint& checkpoint, const std::vector<ParameterInfo>& parameters);

}  // namespace cavs::inline v0_1
