#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compile/program.h"

namespace cavs::cuda {

/// The numbers of the operands of an entry that an instruction reads and writes. -1: the value is in registers alone.
struct OperandNumbers {
  std::vector<std::int32_t> in, out;
  std::int32_t gathered = -1;  // what GatherGradient reads
};

/// The members of an instruction that works row by row, or the only one.
std::span<const Instruction> members_of(const Instruction& instruction);

/// The numbers of each member's operands: member after member, inputs first. @return how many there are in `all`
std::vector<OperandNumbers> operand_numbers(const TypeProgram& type, const Instruction& instruction, std::int32_t& all);

}  // namespace cavs::cuda
