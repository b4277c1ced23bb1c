#pragma once

#include <string>

#include "placement/placement.h"

namespace cavs::inline v0_1 {

/// Names of the parameters, such as "Wi | Wo", followed by ", transposed" if the weight is.
std::string weight_name(const Program& program, const Weight& weight);

/// Prints one line per weight of a placement: number of units, their columns, owners, and bytes in each memory. Then
/// the use of the fullest processor's memories.
std::string to_text(const WeightPlacement& placement, const Program& program);

}  // namespace cavs::inline v0_1
