#include "ir/scalar_builder.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

void check_same(const std::shared_ptr<ScalarCode>& found, const std::shared_ptr<ScalarCode>& expected) {
  user_check(found != nullptr,
             "[expression] an empty Scalar is used; start from the arguments of the operator's expression");
  user_check(found == expected,
             "[expression] scalars of two expressions are combined; an expression or gradient may use its own "
             "arguments only");
}

}  // namespace

Scalar ScalarBuilder::append(const std::shared_ptr<ScalarCode>& code, ScalarInstruction instruction) {
  constexpr auto kMax = static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max());
  const std::size_t id = code->instructions.size();
  user_check(id < kMax, "[expression] more than {} scalar instructions in one loop; split the vertex function", kMax);
  instruction.dst = static_cast<std::int16_t>(id);
  code->instructions.push_back(instruction);
  return {code, instruction.dst};
}

Scalar ScalarBuilder::constant(const std::shared_ptr<ScalarCode>& code, double value) {
  return append(code, {ScalarOp::kConstant, 0, 0, 0, static_cast<float>(value)});
}

Scalar ScalarBuilder::emit_like(ScalarOp op, const Scalar& a, const Scalar& b) {
  check_same(a.code_, a.code_);
  const bool binary = operands(op) > 1;
  if (binary) check_same(b.code_, a.code_);
  return append(a.code_, {op, 0, a.reg_, binary ? b.reg_ : std::int16_t{0}, 0});
}

Scalar ScalarBuilder::constant_like(const Scalar& a, double value) {
  check_same(a.code_, a.code_);
  return constant(a.code_, value);
}

Scalar ScalarBuilder::insert(const ScalarProgram& program, std::span<const Scalar> x) {
  std::vector<Scalar> registers(program.registers);
  for (const ScalarInstruction& i : program.code) {
    if (i.op == ScalarOp::kInput)
      registers[i.dst] = x[i.a];
    else if (i.op == ScalarOp::kConstant)
      registers[i.dst] = constant_like(x[0], i.value);
    else
      registers[i.dst] = emit_like(i.op, registers[i.a], registers[i.b]);
  }
  return registers[program.outputs[0]];
}

ScalarProgram ScalarBuilder::finish(std::span<const Scalar> outputs) const {
  const std::vector<ScalarInstruction>& code = code_->instructions;
  const auto n = code.size();
  std::vector<std::size_t> last_use(n, 0);
  std::vector<char> live(n, 0);
  for (const Scalar& s : outputs) {
    check_same(s.code_, code_);
    live[s.reg_] = 1;
    last_use[s.reg_] = n;
  }
  for (std::size_t i = n; i-- > 0;) {
    if (!live[i]) continue;
    const int count = operands(code[i].op);
    for (std::int16_t source : {count > 0 ? code[i].a : std::int16_t{-1}, count > 1 ? code[i].b : std::int16_t{-1}})
      if (source >= 0) {
        live[source] = 1;
        last_use[source] = std::max(last_use[source], i);
      }
  }
  ScalarProgram program{.inputs = code_->inputs, .registers = 0, .code = {}, .outputs = {}};
  std::vector<std::int16_t> assigned(n, -1), free;
  for (std::size_t i = 0; i < n; ++i) {
    if (!live[i]) continue;
    ScalarInstruction instruction = code[i];
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
  for (const Scalar& s : outputs) program.outputs.push_back(assigned[s.reg_]);
  return program;
}

}  // namespace cavs::inline v0_1
