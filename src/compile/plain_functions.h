#pragma once

#include <vector>

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// The definition of each type: F as it was declared and, where the program is for training, the ∂F that
/// differentiation alone derives of it. No other pass has touched either, so passes are judged by them.
std::vector<Function> plain_functions(const Program& program);

}  // namespace cavs::inline v0_1
