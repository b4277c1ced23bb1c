#include "backend/cuda/persistent/loop_source.h"

#include <fmt/format.h>

#include <bit>
#include <vector>

namespace cavs::cuda {
namespace {

/// The expression that an instruction computes, of the names that registers have.
std::string expression(const ScalarInstruction& i, const std::string& a, const std::string& b) {
  switch (i.op) {
    case ScalarOp::kInput:
      return fmt::format("in{}", i.a);
    case ScalarOp::kConstant:
      return fmt::format("float_of(0x{:08X}U)", std::bit_cast<std::uint32_t>(i.value));
    case ScalarOp::kAdd:
      return fmt::format("{} + {}", a, b);
    case ScalarOp::kSub:
      return fmt::format("{} - {}", a, b);
    case ScalarOp::kMul:
      return fmt::format("{} * {}", a, b);
    case ScalarOp::kDiv:
      return fmt::format("{} / {}", a, b);
    case ScalarOp::kMax:
      return fmt::format("math::max({}, {})", a, b);
    case ScalarOp::kMin:
      return fmt::format("math::min({}, {})", a, b);
    case ScalarOp::kGreater:
      return fmt::format("{} > {} ? 1.0F : 0.0F", a, b);
    case ScalarOp::kEqual:
      return fmt::format("{} == {} ? 1.0F : 0.0F", a, b);
    case ScalarOp::kNeg:
      return fmt::format("-{}", a);
    case ScalarOp::kSqrt:
      return fmt::format("square_root({})", a);
    case ScalarOp::kExp:
    case ScalarOp::kLog:
    case ScalarOp::kAbs:
    case ScalarOp::kTanh:
    case ScalarOp::kSigmoid:
    case ScalarOp::kErf:
      return fmt::format("math::{}({})", kScalarOpNames[static_cast<std::size_t>(i.op)], a);
  }
  return {};
}

}  // namespace

std::string loop_source(const Instruction& instruction, const Elementwise& loop, std::size_t inputs_at_once) {
  const std::size_t inputs = instruction.in.size();
  std::string text;
  for (std::size_t k = 0; k < inputs; ++k) {
    text +=
        fmt::format("      const float in{} = o.x({}).at(r, {});\n", k, k, instruction.in[k].width == 1 ? "0" : "c");
    if ((k + 1) % inputs_at_once == 0 && k + 1 < inputs)
      text += fmt::format("      o.wait_for(bits_of(in{} + 0.0F));\n", k);
  }
  std::vector<std::string> registers(static_cast<std::size_t>(loop.program.registers));
  for (std::size_t n = 0; n < loop.program.code.size(); ++n) {
    const ScalarInstruction& i = loop.program.code[n];
    const int reads = operands(i.op);
    const std::string computed = expression(i, reads > 0 ? registers[i.a] : "", reads > 1 ? registers[i.b] : "");
    registers[i.dst] = fmt::format("v{}", n);
    text += fmt::format("      const float v{} = {};\n", n, computed);
  }
  for (std::size_t k = 0; k < instruction.out.size(); ++k)
    text += fmt::format("      o.x({}).put(r, c, {});\n", inputs + k, registers[loop.program.outputs[k]]);
  return text;
}

}  // namespace cavs::cuda
