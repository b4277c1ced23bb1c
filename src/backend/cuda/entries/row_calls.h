#pragma once

#include <string_view>

#include "backend/cuda/entries/packed_script.h"
#include "ir/op_id.h"

namespace cavs::cuda {

/// How the kernel carries out an operator that works row by row: a function of device/rows.cuh. Those of several
/// operations may be the same.
struct RowCall {
  OpId op;
  Operation operation;
  std::string_view function;

  /// The function computes one element (r, c) of the last operand; without this, it takes the whole task.
  bool is_of_element() const { return function.starts_with("Elements::"); }
};

/// nullptr: the kernel lacks it.
const RowCall* find_row_call(OpId op);
/// The call of an operation; the operation must have one.
const RowCall& row_call(Operation operation);

}  // namespace cavs::cuda
