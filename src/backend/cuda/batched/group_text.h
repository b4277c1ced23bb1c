#pragma once

#include <string>

#include "compile/program.h"

namespace cavs::cuda {

/// The members of a CUDA C++ structure that computes a group for a column of a row or, if a product leads the group,
/// the part after the product. run_columns() and run_group() of device/products.cuh call it. Values that one member
/// computes for another stay in registers.
/// @param group  a RowGroup of RowGrouping::kColumns
std::string group_text(const TypeProgram& type, const Instruction& group);

}  // namespace cavs::cuda
