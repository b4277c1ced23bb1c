#pragma once

#include <cstdint>

#include "execute/batched/step_view.h"
#include "support/split_range.h"

namespace cavs {

/// What one worker does of an instruction that works row by row.
struct RowShare {
  RowRange rows;
  Range<int> units{0, 0};  // of the product that it is, or that leads its group
  RowRange columns{0, 0};  // where it is shared by columns; else none

  /// The columns of an operand that are in the share; one number a row is all workers'.
  template <typename View>
  View own_columns(View o) const {
    if (columns.begin == columns.end || o.width == 1) return o;
    o.base = StepView::shifted(o.base, columns.begin), o.width = columns.end - columns.begin;
    return o;
  }
};

}  // namespace cavs
