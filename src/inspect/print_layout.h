#pragma once

#include <string>

#include "compile/program.h"
#include "layout/layout.h"

namespace cavs::inline v0_1 {

/// What a layout orders and copies, for people: for each vertex function its batches, an operand a line (what it holds,
/// and whether it is a view or a copy, in the order of declaration and in that of the layout), then the order of all
/// variables, the states that are gathered together, and the cost of the copies.
std::string to_text(const MemoryLayout& layout, const Program& program);

/// "%7", "%7[64:128]" or the name of a parameter.
std::string variable_text(const Variable& variable, const Program& program);

/// "2 kernels, 1.5 KiB a vertex, 16 KiB of parameters a task"; "none".
std::string to_text(const CopyCost& cost);

}  // namespace cavs::inline v0_1
