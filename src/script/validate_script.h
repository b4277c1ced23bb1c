#pragma once

#include <string>
#include <vector>

#include "placement/placement.h"
#include "plan/plan.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// Lists the faults of a script, one string per fault; empty if there are none. The accesses of entries are derived
/// from their operands alone, number by number in a copy of the arena, independently of how scripts are made. It finds
///   - a wait that cannot be satisfied: for a later entry, or for one that a processor does not signal;
///   - a number that is read before it is written, or accessed by two processors in an order that no wait fixes;
///   - a row or column with two owners or none, and a weight that is read by a processor that does not own it;
///   - a gradient that is not first summed from zero, once, and then added to.
/// @param most  largest number of faults to report
/// Cost: linear in the numbers that the script reads and writes, times the number of processors.
std::vector<std::string> find_faults(const Program& program, const WeightPlacement& placement, const Plan& plan,
                                     const Script& script, std::size_t most = 10);

/// @throws InternalError with the faults, if the script has any.
void check_script(const Program& program, const WeightPlacement& placement, const Plan& plan, const Script& script);

}  // namespace cavs::inline v0_1
