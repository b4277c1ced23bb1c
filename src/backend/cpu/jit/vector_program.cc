#include "backend/cpu/jit/vector_program.h"

#include <utility>

#include "backend/cpu/jit/symbolic_vec.h"
#include "backend/cpu/vec_math.h"

namespace cavs::cpu {

int VectorProgramBuilder::emit(VectorOp op, int a, int b, int c, std::uint32_t immediate) {
  program_.code.push_back({op, a, b, c, immediate});
  return static_cast<int>(program_.code.size()) - 1;
}

int VectorProgramBuilder::constant(std::uint32_t bits) {
  const auto [it, fresh] = constants_.try_emplace(bits, -1);
  if (fresh) it->second = emit(VectorOp::kConstant, -1, -1, -1, bits);
  return it->second;
}

VectorProgram VectorProgramBuilder::finish(std::span<const int> outputs) && {
  program_.outputs.assign(outputs.begin(), outputs.end());
  return std::move(program_);
}

namespace symbolic {
namespace {

Vec apply(ScalarOp op, Vec a, Vec b) {
  switch (op) {
    case ScalarOp::kAdd:
      return a + b;
    case ScalarOp::kSub:
      return a - b;
    case ScalarOp::kMul:
      return a * b;
    case ScalarOp::kDiv:
      return a / b;
    case ScalarOp::kMax:
      return max(a, b);
    case ScalarOp::kMin:
      return min(a, b);
    case ScalarOp::kGreater:
      return select(a > b, splat(1.0F), splat(0.0F));
    case ScalarOp::kEqual:
      return select(a == b, splat(1.0F), splat(0.0F));
    case ScalarOp::kKeep:
      return select(a != splat(0.0F), b, splat(0.0F));
    case ScalarOp::kNeg:
      return -a;
    case ScalarOp::kExp:
      return exp(a);
    case ScalarOp::kLog:
      return log(a);
    case ScalarOp::kSqrt:
      return sqrt(a);
    case ScalarOp::kAbs:
      return abs(a);
    case ScalarOp::kTanh:
      return tanh(a);
    case ScalarOp::kSigmoid:
      return sigmoid(a);
    case ScalarOp::kErf:
      return erf(a);
    case ScalarOp::kRound:
      return round(a);
    case ScalarOp::kInput:
    case ScalarOp::kConstant:
      break;
  }
  return a;
}

}  // namespace
}  // namespace symbolic

VectorProgram to_vector_program(const ScalarProgram& program) {
  VectorProgramBuilder builder;
  std::vector<symbolic::Vec> registers(static_cast<std::size_t>(program.registers));
  const auto at = [&](std::int16_t reg) -> symbolic::Vec& { return registers[static_cast<std::size_t>(reg)]; };
  for (const ScalarInstruction& i : program.code) {
    if (i.op == ScalarOp::kInput)
      at(i.dst) = {&builder, builder.emit(VectorOp::kInput, -1, -1, -1, static_cast<std::uint32_t>(i.a))};
    else if (i.op == ScalarOp::kConstant)
      at(i.dst) = {&builder, builder.constant(std::bit_cast<std::uint32_t>(i.value))};
    else
      at(i.dst) = symbolic::apply(i.op, at(i.a), at(i.b));
  }
  std::vector<int> outputs;
  for (const std::int16_t output : program.outputs) outputs.push_back(at(output).value);
  return std::move(builder).finish(outputs);
}

VectorProgram side_by_side(const VectorProgram& program, const std::vector<bool>& broadcast, int copies) {
  VectorProgram wide;
  std::vector<std::vector<int>> values;  // [value of `program`][copy]: number of the value in `wide`
  for (const VectorInstruction& i : program.code) {
    const bool shared = i.op == VectorOp::kConstant || (i.op == VectorOp::kInput && broadcast[i.immediate]);
    std::vector<int>& of = values.emplace_back();
    for (int copy = 0; copy < copies; ++copy) {
      const auto source = [&](int value) { return value < 0 ? value : values[static_cast<std::size_t>(value)][copy]; };
      if (copy == 0 || !shared) wide.code.push_back({i.op, source(i.a), source(i.b), source(i.c), i.immediate, copy});
      of.push_back(static_cast<int>(wide.code.size()) - 1);
    }
  }
  for (int copy = 0; copy < copies; ++copy)
    for (const int output : program.outputs) wide.outputs.push_back(values[static_cast<std::size_t>(output)][copy]);
  return wide;
}

}  // namespace cavs::cpu
