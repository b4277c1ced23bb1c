#pragma once

#include <span>

#include "ir/op.h"

namespace cavs::inline v0_1 {

/// Runs a scalar program on one element in float64, with libm, as the reference does for element-wise operators.
/// `outputs` has one number per output of the program.
void evaluate(const ScalarProgram& program, std::span<const double> inputs, std::span<double> outputs);

/// Returns the scalar program of an element-wise operator.
ScalarProgram expression_program(const OpDef& op, const Attributes& attributes);

/// Evaluates an element-wise operator on one element, and returns the result.
double evaluate_expression(const OpDef& op, const Attributes& attributes, std::span<const double> x);

}  // namespace cavs::inline v0_1
