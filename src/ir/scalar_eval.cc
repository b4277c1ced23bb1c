#include "ir/scalar_eval.h"

#include <cmath>
#include <limits>

namespace cavs::inline v0_1 {
namespace {

double nan_or(double a, double b, double result) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : result;
}

double apply(const ScalarInstruction& i, double a, double b) {
  switch (i.op) {
    case ScalarOp::kConstant:
      return i.value;
    case ScalarOp::kAdd:
      return a + b;
    case ScalarOp::kSub:
      return a - b;
    case ScalarOp::kMul:
      return a * b;
    case ScalarOp::kDiv:
      return a / b;
    case ScalarOp::kMax:
      return nan_or(a, b, a > b ? a : b);
    case ScalarOp::kMin:
      return nan_or(a, b, a < b ? a : b);
    case ScalarOp::kGreater:
      return a > b ? 1 : 0;
    case ScalarOp::kEqual:
      return a == b ? 1 : 0;
    case ScalarOp::kKeep:
      return a != 0 ? b : 0;
    case ScalarOp::kNeg:
      return -a;
    case ScalarOp::kExp:
      return std::exp(a);
    case ScalarOp::kLog:
      return std::log(a);
    case ScalarOp::kSqrt:
      return std::sqrt(a);
    case ScalarOp::kAbs:
      return std::abs(a);
    case ScalarOp::kTanh:
      return std::tanh(a);
    case ScalarOp::kSigmoid:
      return 1 / (1 + std::exp(-a));
    case ScalarOp::kErf:
      return std::erf(a);
    case ScalarOp::kRound:
      return std::nearbyint(a);
    case ScalarOp::kInput:
      break;
  }
  return 0;
}

}  // namespace

void evaluate(const ScalarProgram& program, std::span<const double> inputs, std::span<double> outputs) {
  std::vector<double> registers(program.registers);
  for (const ScalarInstruction& i : program.code)
    registers[i.dst] = i.op == ScalarOp::kInput ? inputs[i.a] : apply(i, registers[i.a], registers[i.b]);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = registers[program.outputs[i]];
}

ScalarProgram expression_program(const OpDef& op, const Attributes& attributes) {
  ScalarBuilder builder;
  std::vector<Scalar> x;
  for (std::size_t i = 0; i < op.params.size(); ++i) x.push_back(builder.input());
  const Scalar y = op.expr({x, attributes});
  return builder.finish({&y, 1});
}

double evaluate_expression(const OpDef& op, const Attributes& attributes, std::span<const double> x) {
  double y = 0;
  evaluate(expression_program(op, attributes), x, {&y, 1});
  return y;
}

}  // namespace cavs::inline v0_1
