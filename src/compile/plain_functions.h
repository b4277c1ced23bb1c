#pragma once

#include <vector>

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Returns the function of each type before any optimisation: F as declared and, in a program for training, ∂F as
/// `differentiate` alone derives it. The reference engine evaluates these functions, so it checks all passes.
std::vector<Function> plain_functions(const Program& program);

}  // namespace cavs::inline v0_1
