#include "backend/cuda/entries/loop_text.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace cavs::cuda {
namespace {

/// The text of an instruction, by ScalarOp. {0} and {1} are the registers that it reads, {2} is an input, and {3} are
/// the bits of a constant.
constexpr std::string_view kExpressions[] = {"{2}",
                                             "float_of(0x{3:08X}U)",
                                             "{0} + {1}",
                                             "{0} - {1}",
                                             "{0} * {1}",
                                             "{0} / {1}",
                                             "math::max({0}, {1})",
                                             "math::min({0}, {1})",
                                             "{0} > {1} ? 1.0F : 0.0F",
                                             "{0} == {1} ? 1.0F : 0.0F",
                                             "{0} != 0.0F ? {1} : 0.0F",
                                             "-{0}",
                                             "math::exp({0})",
                                             "math::log({0})",
                                             "square_root({0})",
                                             "math::abs({0})",
                                             "math::tanh({0})",
                                             "math::sigmoid({0})",
                                             "math::erf({0})",
                                             "math::round({0})"};
static_assert(std::size(kExpressions) == kScalarOpNames.size());

}  // namespace

std::string scalar_text(const ScalarProgram& program, const std::string& prefix, std::span<const std::string> inputs,
                        std::vector<std::string>& outputs) {
  std::string text;
  std::vector<std::string> registers(static_cast<std::size_t>(program.registers));
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    const ScalarInstruction& i = program.code[n];
    const int reads = operands(i.op);
    const std::string computed =
        fmt::format(fmt::runtime(kExpressions[static_cast<std::size_t>(i.op)]), reads > 0 ? registers[i.a] : "",
                    reads > 1 ? registers[i.b] : "", i.op == ScalarOp::kInput ? inputs[i.a] : "",
                    std::bit_cast<std::uint32_t>(i.value));
    registers[i.dst] = fmt::format("{}v{}", prefix, n);
    text += fmt::format("      [[maybe_unused]] const float {} = {};\n", registers[i.dst], computed);
  }
  outputs.clear();
  for (const auto output : program.outputs) outputs.push_back(registers[output]);
  return text;
}

}  // namespace cavs::cuda
