#pragma once

#include <string>

#include "compile/program.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

/// The lowered code of a type, one line per instruction: level in its stage (with "|" if the team waits first), kind,
/// domain of rows, results, and inputs. Rows read through an index list are shown as "h@gather(0)".
std::string instructions_to_text(const Program& program, std::int32_t type);

/// Every dynamic tensor of a plan, in the order of the arena: rows, width, offset and size in bytes. Marks tensors that
/// have rows for only one task.
std::string memory_to_text(const Program& program, const Plan& plan);

/// The tasks of a schedule, one per line, then their number and `lower_bound`.
std::string tasks_to_text(const Program& program, const Schedule& schedule, std::int64_t lower_bound);

}  // namespace cavs::inline v0_1
