#pragma once

#include <cstdint>
#include <string>

#include "compile/program.h"
#include "plan/plan.h"

namespace cavs::inline v0_1 {

/// Returns text for an error message: the three largest parts of the memory of a plan and of its workers' tiles.
std::string describe_memory(const Program& program, const Plan& plan, std::int64_t tile_bytes);

}  // namespace cavs::inline v0_1
