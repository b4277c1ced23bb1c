#pragma once

#include <string>
#include <vector>

#include "placement/placement.h"
#include "plan/plan.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// What is wrong with a script, a line a fault; empty: nothing. It knows what entries read and write by their operands
/// alone, number by number in a copy of the arena, and nothing of how scripts are made. It finds
///   - a wait that can't be satisfied: for an entry that does not come before, or that some processor does not signal;
///   - a number that is read before it is written, or that two processors touch in an order that no wait decides;
///   - a row or column that two processors own, or none; a weight that is read by others than its owners;
///   - a gradient that is not summed from zero once, and then added to.
/// @param most  faults that are reported
/// Cost: linear in the numbers that the script reads and writes, times the processors.
std::vector<std::string> find_faults(const Program& program, const WeightPlacement& placement, const Plan& plan,
                                     const Script& script, std::size_t most = 10);

/// @throws InternalError with its faults, if the script has any.
void check_script(const Program& program, const WeightPlacement& placement, const Plan& plan, const Script& script);

}  // namespace cavs::inline v0_1
