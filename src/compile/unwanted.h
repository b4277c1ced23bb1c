#pragma once

#include <vector>

#include "cavs/compile.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Removes the pushes and losses that the caller does not ask for, and everything that only they need, including states
/// that no requested value gathers in any number of steps. If the caller asks for nothing at all, all states are kept.
/// If dropout is off, its masks become ones.
std::vector<Function> drop_unwanted(std::vector<Function> functions, const CompileOptions& options);

}  // namespace cavs::inline v0_1
