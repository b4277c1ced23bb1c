#pragma once

#include <string>
#include <vector>

#include "placement/placement.h"
#include "plan/plan.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// Returns the faults of a script, one string per fault. The accesses of entries are derived from their operands alone,
/// independently of how scripts are made, and tracked for every number of the arena. The function finds
/// - a wait that cannot be satisfied, because it is for a later entry or for an entry that does not signal;
/// - a number that is read before it is written, or that two processors access in an order that no wait ensures;
/// - a row or column with no owner or two owners, and a weight that a processor reads without owning it;
/// - a gradient that does not begin with one sum from zero, to which all other sums are added.
/// @param most  largest number of faults to return
/// Cost: linear in the numbers that the script reads and writes, times the number of processors.
std::vector<std::string> find_faults(const Program& program, const WeightPlacement& placement, const Plan& plan,
                                     const Script& script, std::size_t most = 10);

/// @throws InternalError with the faults, if the script has any.
void check_script(const Program& program, const WeightPlacement& placement, const Plan& plan, const Script& script);

}  // namespace cavs::inline v0_1
