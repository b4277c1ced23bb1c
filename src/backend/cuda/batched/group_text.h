#pragma once

#include <string>

#include "compile/program.h"

namespace cavs::cuda {

/// The members of a structure of CUDA C++ that carries out a group for a column of a row, or, where a product leads the
/// group, what follows the product (run_columns() and run_group() of device/products.cuh call it). Values that members
/// hand to each other are in registers.
/// @param group  a RowGroup of RowGrouping::kColumns
std::string group_text(const TypeProgram& type, const Instruction& group);

}  // namespace cavs::cuda
