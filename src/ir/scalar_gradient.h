#pragma once

#include <vector>

#include "cavs/operator.h"
#include "tensor/scalar_program.h"

namespace cavs::inline v0_1 {

/// dx of each input of a program with one output, by reverse-mode differentiation. Results are scalars of the
/// expression that x, y and dy belong to.
std::vector<Scalar> derive(const ScalarProgram& program, const GradientArguments& g);

}  // namespace cavs::inline v0_1
