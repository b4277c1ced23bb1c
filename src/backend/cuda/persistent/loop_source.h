#pragma once

#include <string>

#include "compile/instruction.h"

namespace cavs::cuda {

/// Statements that run an element-wise instruction for element (r, c), made from its scalar program. `x` is the number
/// of its first operand. Equal loops of different instructions have the same text.
std::string loop_source(const Instruction& instruction, const Elementwise& loop);

}  // namespace cavs::cuda
