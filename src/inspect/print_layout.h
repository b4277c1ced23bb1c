#pragma once

#include <string>

#include "compile/program.h"
#include "layout/layout.h"

namespace cavs::inline v0_1 {

/// Returns a layout as text. For each vertex function: its batches, with one line per operand (its elements, and "view"
/// or "copy" in declaration order and in the layout). Then the order of all variables, the states that are gathered
/// together, and the cost of copies.
std::string to_text(const MemoryLayout& layout, const Program& program);

/// Returns "%7", "%7[64:128]" or the name of a parameter.
std::string variable_text(const Variable& variable, const Program& program);

/// Returns text such as "2 kernels, 1.5 KiB per vertex, 16 KiB of parameters per task", or "none".
std::string to_text(const CopyCost& cost);

}  // namespace cavs::inline v0_1
