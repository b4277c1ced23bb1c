#include "inspect/print_operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "ops/defined_operator.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kMaxCharacters = 160;  // per expression, which repeats values that are used twice

std::string instruction_text(const ScalarInstruction& i, const std::string& a, const std::string& b) {
  constexpr std::pair<ScalarOp, char> kSigns[] = {
      {ScalarOp::kAdd, '+'}, {ScalarOp::kSub, '-'}, {ScalarOp::kMul, '*'}, {ScalarOp::kDiv, '/'}};
  if (i.op == ScalarOp::kConstant) return fmt::format("{:g}", i.value);
  if (i.op == ScalarOp::kNeg) return fmt::format("-{}", a);
  for (const auto& [op, sign] : kSigns)
    if (i.op == op) return fmt::format("({} {} {})", a, sign, b);
  // A function's arguments need no parentheses of their own.
  const auto bare = [](const std::string& text) {
    return text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2) : text;
  };
  const std::string_view name = kScalarOpNames[static_cast<std::size_t>(i.op)];
  return operands(i.op) == 1 ? fmt::format("{}({})", name, bare(a)) : fmt::format("{}({}, {})", name, bare(a), bare(b));
}

std::string program_text(const ScalarProgram& program, const std::vector<std::string>& inputs) {
  std::vector<std::string> registers(program.registers);
  for (const ScalarInstruction& i : program.code) {
    std::string text = i.op == ScalarOp::kInput ? inputs[i.a] : instruction_text(i, registers[i.a], registers[i.b]);
    registers[i.dst] = text.size() <= kMaxCharacters ? std::move(text) : "...";
  }
  const std::string& y = registers[program.outputs[0]];
  return y.starts_with('(') ? y.substr(1, y.size() - 2) : y;
}

}  // namespace

std::string operators_to_text(const std::vector<Function>& functions) {
  std::string text;
  for (const auto& op : defined_operators(functions)) {
    std::vector<std::string> names;
    names.reserve(op->inputs() + 2);
    for (int i = 0; i < op->inputs(); ++i) names.push_back(fmt::format("x{}", i));
    text += fmt::format("  {}({}) = {}\n", op->name, fmt::join(names, ", "), program_text(op->expression, names));
    names.insert(names.end(), {"y", "dy"});
    for (int i = 0; i < op->inputs(); ++i)
      text += fmt::format("    dx{} = {}\n", i, program_text(op->gradients[i].program, names));
  }
  return text.empty() ? "" : "operators\n" + text + "\n";
}

}  // namespace cavs::inline v0_1
