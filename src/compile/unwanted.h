#pragma once

#include <vector>

#include "cavs/compile.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Returns the functions without the pushes and losses that the caller does not request, and without everything that
/// only they need, including states on which no requested value depends. If the caller requests nothing, all states are
/// kept. If dropout is off, its masks become ones.
std::vector<Function> drop_unwanted(std::vector<Function> functions, const CompileOptions& options);

}  // namespace cavs::inline v0_1
