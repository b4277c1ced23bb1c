#pragma once

#include <string>

#include "placement/placement.h"

namespace cavs::inline v0_1 {

/// "Wi | Wo", ", transposed" after the names where it is.
std::string weight_name(const Program& program, const Weight& weight);

/// The weights of a placement, a line each: how many units of how many columns there are, which processors own them,
/// and how much lies in which memory; how full the fullest processor's memories are.
std::string to_text(const WeightPlacement& placement, const Program& program);

}  // namespace cavs::inline v0_1
