#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compile/program.h"

namespace cavs::cuda {

/// Numbers, within an entry, of the operands that an instruction reads and writes; -1 for values only in registers.
struct OperandNumbers {
  std::vector<std::int32_t> in, out;
  std::int32_t gathered = -1;  // the operand that GatherGradient reads
};

/// The members of a group that works row by row, or the instruction alone.
std::span<const Instruction> members_of(const Instruction& instruction);

/// Numbers the operands of each member: member after member, inputs first. @return `all` is set to their count
std::vector<OperandNumbers> operand_numbers(const TypeProgram& type, const Instruction& instruction, std::int32_t& all);

}  // namespace cavs::cuda
