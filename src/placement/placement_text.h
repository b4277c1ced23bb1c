#pragma once

#include <string>

#include "placement/placement.h"

namespace cavs::inline v0_1 {

/// Returns the names of the parameters, such as "Wi | Wo", followed by ", transposed" if the weight is transposed.
std::string weight_name(const Program& program, const Weight& weight);

/// Returns one line per weight of a placement: number of units, their columns, owners, and bytes in each memory. The
/// last line has the memory use of the fullest processor.
std::string to_text(const WeightPlacement& placement, const Program& program);

}  // namespace cavs::inline v0_1
