#pragma once

#include <string>

#include "placement/placement.h"

namespace cavs {

/// The weights of a placement, a line each: how many units of how many columns there are, which processors own them,
/// and how much lies in which memory; where the gradients are summed; how full the fullest processor's memories are.
std::string to_text(const WeightPlacement& placement, const Program& program);

}  // namespace cavs
