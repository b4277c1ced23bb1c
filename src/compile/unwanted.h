#pragma once

#include <vector>

#include "cavs/compile.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The functions without the pushes and losses that the caller does not want, and without what only they needed:
/// states that no wanted value gathers, in any number of steps, are not computed. Where nothing is wanted at all, the
/// states are. Where dropout is not kept, its masks become ones.
std::vector<Function> drop_unwanted(std::vector<Function> functions, const CompileOptions& options);

}  // namespace cavs::inline v0_1
