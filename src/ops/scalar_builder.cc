#include <algorithm>

#include "ops/op.h"

namespace cavs {
namespace {

int operands(ScalarOp op) {
  switch (op) {
    case ScalarOp::kInput:
    case ScalarOp::kConstant:
      return 0;
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:
    case ScalarOp::kDiv:
    case ScalarOp::kMax:
    case ScalarOp::kMin:
    case ScalarOp::kGreater:
    case ScalarOp::kEqual:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

Scalar ScalarBuilder::input() {
  const auto reg = static_cast<std::int16_t>(code_.size());
  code_.push_back({ScalarOp::kInput, reg, inputs_++, 0, 0});
  return {this, reg};
}

Scalar ScalarBuilder::constant(double value) {
  const auto reg = static_cast<std::int16_t>(code_.size());
  code_.push_back({ScalarOp::kConstant, reg, 0, 0, static_cast<float>(value)});
  return {this, reg};
}

Scalar ScalarBuilder::emit(ScalarOp op, Scalar a, Scalar b) {
  const auto reg = static_cast<std::int16_t>(code_.size());
  code_.push_back({op, reg, a.reg, operands(op) > 1 ? b.reg : std::int16_t{0}, 0});
  return {this, reg};
}

ScalarProgram ScalarBuilder::finish(std::span<const Scalar> outputs) const {
  const auto n = code_.size();
  std::vector<std::size_t> last_use(n, 0);
  std::vector<char> live(n, 0);
  for (const Scalar& s : outputs) live[s.reg] = 1, last_use[s.reg] = n;
  for (std::size_t i = n; i-- > 0;) {
    if (!live[i]) continue;
    const int count = operands(code_[i].op);
    for (std::int16_t source : {count > 0 ? code_[i].a : std::int16_t{-1}, count > 1 ? code_[i].b : std::int16_t{-1}})
      if (source >= 0) live[source] = 1, last_use[source] = std::max(last_use[source], i);
  }
  ScalarProgram program{.inputs = inputs_, .registers = 0, .code = {}, .outputs = {}};
  std::vector<std::int16_t> assigned(n, -1), free;
  for (std::size_t i = 0; i < n; ++i) {
    if (!live[i]) continue;
    ScalarInstruction instruction = code_[i];
    const int count = operands(instruction.op);
    const std::int16_t a = instruction.a, b = instruction.b;
    if (count > 0) instruction.a = assigned[a];
    if (count > 1) instruction.b = assigned[b];
    if (count > 0 && last_use[a] == i) free.push_back(assigned[a]);
    if (count > 1 && b != a && last_use[b] == i) free.push_back(assigned[b]);
    if (free.empty()) {
      assigned[i] = static_cast<std::int16_t>(program.registers++);
    } else {
      assigned[i] = free.back();
      free.pop_back();
    }
    instruction.dst = assigned[i];
    program.code.push_back(instruction);
  }
  for (const Scalar& s : outputs) program.outputs.push_back(assigned[s.reg]);
  return program;
}

Scalar operator+(Scalar a, Scalar b) { return a.builder->emit(ScalarOp::kAdd, a, b); }
Scalar operator-(Scalar a, Scalar b) { return a.builder->emit(ScalarOp::kSub, a, b); }
Scalar operator*(Scalar a, Scalar b) { return a.builder->emit(ScalarOp::kMul, a, b); }
Scalar operator/(Scalar a, Scalar b) { return a.builder->emit(ScalarOp::kDiv, a, b); }
Scalar operator+(Scalar a, double b) { return a + a.builder->constant(b); }
Scalar operator*(Scalar a, double b) { return a * a.builder->constant(b); }
Scalar operator-(double a, Scalar b) { return b.builder->constant(a) - b; }
Scalar operator-(Scalar a) { return a.builder->emit(ScalarOp::kNeg, a); }
Scalar max(Scalar a, Scalar b) { return a.builder->emit(ScalarOp::kMax, a, b); }
Scalar min(Scalar a, Scalar b) { return a.builder->emit(ScalarOp::kMin, a, b); }
Scalar greater(Scalar a, Scalar b) { return a.builder->emit(ScalarOp::kGreater, a, b); }
Scalar equal(Scalar a, Scalar b) { return a.builder->emit(ScalarOp::kEqual, a, b); }
Scalar exp(Scalar a) { return a.builder->emit(ScalarOp::kExp, a); }
Scalar log(Scalar a) { return a.builder->emit(ScalarOp::kLog, a); }
Scalar sqrt(Scalar a) { return a.builder->emit(ScalarOp::kSqrt, a); }
Scalar abs(Scalar a) { return a.builder->emit(ScalarOp::kAbs, a); }
Scalar tanh(Scalar a) { return a.builder->emit(ScalarOp::kTanh, a); }
Scalar sigmoid(Scalar a) { return a.builder->emit(ScalarOp::kSigmoid, a); }
Scalar erf(Scalar a) { return a.builder->emit(ScalarOp::kErf, a); }
Scalar constant_like(Scalar a, double value) { return a.builder->constant(value); }

}  // namespace cavs
