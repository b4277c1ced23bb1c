#pragma once

#include <string>
#include <string_view>

#include "placement/placement.h"

namespace cavs {

/// "Wi | Wo", ", transposed" after the names where it is.
std::string weight_name(const Program& program, const Weight& weight);
std::string_view to_string(GradientPlace place);

/// The weights of a placement, a line each: how many units of how many columns there are, which processors own them,
/// and how much lies in which memory; where the gradients are summed; how full the fullest processor's memories are.
std::string to_text(const WeightPlacement& placement, const Program& program);

}  // namespace cavs
