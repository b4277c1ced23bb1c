#include "execute/batched/loops.h"

#include <fmt/format.h>

#include "compile/passes.h"

namespace cavs {
namespace {

/// Whether a row is written where the same row is read; generated code stores too early for that.
bool in_place(const Instruction& i) {
  for (const Operand& x : i.in)
    for (const Operand& y : i.out)
      if (x.index < 0 && x.kind == y.kind && x.id == y.id && x.site == y.site) return true;
  return false;
}

std::unique_ptr<cpu::GeneratedLoop> generate(const Instruction& i, const Elementwise& loop,
                                             const std::string& function) {
  if (in_place(i)) return nullptr;
  std::vector<bool> broadcast;
  for (const Operand& x : i.in) broadcast.push_back(x.width == 1 && i.out[0].width != 1);
  return cpu::generate_loop(cpu::isa(), loop.program, broadcast, fmt::format("cavs_{}_loop{}", function, loop.loop));
}

}  // namespace

Loops::Loops(const Program& program) : generated_(static_cast<std::size_t>(program.loops)) {
  if (!is_on(program.options, "generate_code")) return;
  for (const TypeProgram& type : program.types)
    each_code(type, [&](const Code& code, bool, Stage) {
      each_instruction(code, [&](const Instruction& i) {
        if (const auto* loop = i.as<Elementwise>()) generated_[loop->loop] = generate(i, *loop, type.function.name);
      });
    });
}

void Loops::run(const Elementwise& loop, std::span<const ConstRows> in, std::span<const Rows> out,
                std::int32_t row_begin, std::int32_t row_end, cpu::Scratch& scratch) const {
  if (const cpu::GeneratedLoop* const code = generated_[loop.loop].get())
    code->run(in, out, row_begin, row_end, scratch);
  else
    cpu::elementwise(loop.program, in, out, row_begin, row_end, scratch);
}

}  // namespace cavs
