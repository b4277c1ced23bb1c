#pragma once

#include <vector>

#include "cavs/operator.h"
#include "tensor/scalar_program.h"

namespace cavs::inline v0_1 {

/// Returns dx of each input of a program with one output, by reverse-mode differentiation. The results belong to the
/// expression of x, y and dy.
std::vector<Scalar> derive(const ScalarProgram& program, const GradientArguments& g);

}  // namespace cavs::inline v0_1
