#pragma once

#include <string>

#include "compile/instruction.h"

namespace cavs::cuda {

/// Statements that run an element-wise instruction for element (r, c), made from its scalar program. `o` is what
/// device/row_operations.cuh calls Operands. Equal loops of different instructions have the same text.
/// @param inputs_at_once  that are read before the next ones
std::string loop_source(const Instruction& instruction, const Elementwise& loop, std::size_t inputs_at_once);

}  // namespace cavs::cuda
