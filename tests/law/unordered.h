#pragma once

#include <string>

#include "compile/program.h"

namespace cavs::law {

/// Finds a race: a tensor that one instruction writes and another reads between the same two barriers, although workers
/// may split the rows of the two differently. Empty if there is none. Instructions of one group split rows alike.
inline std::string unordered_read(const Program& program) {
  const auto members = [](const Instruction& i) {
    const auto* const group = i.as<RowGroup>();
    return group == nullptr ? std::span(&i, 1) : std::span(group->members);
  };
  const auto overlap = [](const cavs::Operand& x, const cavs::Operand& y) {
    return x.kind == StorageKind::kTensor && y.kind == x.kind && x.id == y.id && x.column < y.column + y.width &&
           y.column < x.column + x.width;
  };
  std::string found;
  for (const TypeProgram& type : program.types)
    each_code(type, [&](const Code& code, bool backward, Stage) {
      for (std::size_t later = 0; later < code.size(); ++later)
        for (std::size_t i = later; i-- > 0 && !code[i + 1].barrier;)
          for (const Instruction& reads : members(code[later]))
            for (const Instruction& writes : members(code[i]))
              for (const cavs::Operand& x : reads.in)
                for (const cavs::Operand& y : writes.out)
                  if (overlap(x, y))
                    found = std::string(backward ? "∂F" : "F") + " of '" + type.function.name +
                            "': " + std::string(name_of(reads)) + " reads tensor " + std::to_string(x.id) + ", which " +
                            std::string(name_of(writes)) + " writes with no barrier between";
    });
  return found;
}

}  // namespace cavs::law
