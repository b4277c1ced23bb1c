#pragma once

#include <string>

#include "compile/program.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

/// Returns the lowered code of a type, one line per instruction: level in its stage (with "|" if the team waits before
/// it), kind, domain of rows, results and inputs. Rows that are read through an index list look like "h@gather(0)".
std::string instructions_to_text(const Program& program, std::int32_t type);

/// Returns a table of the dynamic tensors of a plan, in the order of the arena: rows, width, offset and size in bytes.
/// Marks tensors that have rows for one task only.
std::string memory_to_text(const Program& program, const Plan& plan);

/// Returns the tasks of a schedule, one per line, then their number and `lower_bound`.
std::string tasks_to_text(const Program& program, const Schedule& schedule, std::int64_t lower_bound);

}  // namespace cavs::inline v0_1
