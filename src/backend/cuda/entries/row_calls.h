#pragma once

#include <string_view>

#include "backend/cuda/entries/packed_script.h"
#include "ir/op_id.h"

namespace cavs::cuda {

/// The function of device/rows.cuh for an operator that works row by row. Several operators may have one function.
struct RowCall {
  OpId op;
  Operation operation;
  std::string_view function;

  /// True if the function computes one element (r, c) of the last operand; false if it computes all rows.
  bool is_of_element() const { return function.starts_with("Elements::"); }
};

/// Returns the call for an operator; nullptr if kernels do not support the operator.
const RowCall* find_row_call(OpId op);
/// Returns the call for an operation, which must have one.
const RowCall& row_call(Operation operation);

}  // namespace cavs::cuda
