#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cavs/operator.h"
#include "tensor/scalar_program.h"

namespace cavs::inline v0_1 {

/// The code of one expression. All Scalars of the expression refer to it.
struct ScalarCode {
  std::vector<ScalarInstruction> instructions;  // instruction i writes register i
  std::int16_t inputs = 0;                      // number of inputs so far
};

/// Builds scalar programs. finish() assigns the final registers.
/// @throws UserError if there are more than 32,767 instructions.
class ScalarBuilder {
 public:
  ScalarBuilder() : code_(std::make_shared<ScalarCode>()) {}

  Scalar input() { return append(code_, {ScalarOp::kInput, 0, code_->inputs++, 0, 0}); }
  Scalar constant(double value) { return constant(code_, value); }
  /// Appends an instruction. `b` is ignored if `op` has one operand.
  Scalar emit(ScalarOp op, const Scalar& a, const Scalar& b = {}) { return emit_like(op, a, b); }

  /// Appends to the expression of `a`. @throws UserError if a Scalar is empty, or of another expression.
  static Scalar emit_like(ScalarOp op, const Scalar& a, const Scalar& b = {});
  static Scalar constant_like(const Scalar& a, double value);
  /// Appends a program with one output to the expression of its inputs `x`. Returns the output.
  static Scalar insert(const ScalarProgram& program, std::span<const Scalar> x);

  /// Returns the program that computes `outputs`, without dead code. @throws UserError as emit_like.
  ScalarProgram finish(std::span<const Scalar> outputs) const;

 private:
  static Scalar append(const std::shared_ptr<ScalarCode>& code, ScalarInstruction instruction);
  static Scalar constant(const std::shared_ptr<ScalarCode>& code, double value);

  std::shared_ptr<ScalarCode> code_;
};

}  // namespace cavs::inline v0_1
