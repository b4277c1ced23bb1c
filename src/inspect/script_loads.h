#pragma once

#include "cavs/inspect.h"
#include "compile/program.h"
#include "placement/placement.h"
#include "plan/plan.h"
#include "script/script.h"

namespace cavs::inline v0_1::inspect {

/// Implements ScheduledBatch::script_loads. @param number_bytes  bytes per number of a weight
WeightLoads loads_of(const Program& program, const WeightPlacement& placement, const Plan& plan, const Script& script,
                     int number_bytes);

}  // namespace cavs::inline v0_1::inspect
