#pragma once

#include <string>

#include "compile/program.h"

namespace cavs::cuda {

/// Returns the members of a CUDA C++ structure that computes a group for one column of a row. If the group begins with
/// a product, the structure computes the rest. run_columns() and run_group() of device/products.cuh use it. Values that
/// one member computes for another stay in registers.
/// @param group  a RowGroup of RowGrouping::kColumns
std::string group_text(const TypeProgram& type, const Instruction& group);

}  // namespace cavs::cuda
