#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compile/program.h"

namespace cavs::cuda {

/// Numbers, within an entry, of the operands of an instruction; -1 for a value that is only in registers.
struct OperandNumbers {
  std::vector<std::int32_t> in, out;
  std::int32_t gathered = -1;  // the operand that GatherGradient reads
};

/// Returns the members of a group that works row by row; for other instructions, the instruction alone.
std::span<const Instruction> members_of(const Instruction& instruction);

/// Assigns numbers to the operands of each member, member by member, inputs first. `all` becomes their number.
std::vector<OperandNumbers> operand_numbers(const TypeProgram& type, const Instruction& instruction, std::int32_t& all);

}  // namespace cavs::cuda
