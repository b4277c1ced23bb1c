#pragma once

#include <string>

#include "compile/program.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

/// The lowered code of a type, a line an instruction: level in its stage ("|" where the team waits first), kind, row
/// domain, what it writes and what it reads; rows through an index list stand as "h@gather(0)".
std::string instructions_to_text(const Program& program, std::int32_t type);

/// Every dynamic tensor of a plan, in the order of the arena: rows, width, offset and size in bytes, and whether it
/// keeps the rows of all tasks or is used inside one.
std::string memory_to_text(const Program& program, const Plan& plan);

/// The tasks of a schedule, a line a task, and how many there are beside `lower_bound`.
std::string tasks_to_text(const Program& program, const Schedule& schedule, std::int64_t lower_bound);

}  // namespace cavs::inline v0_1
