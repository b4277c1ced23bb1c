// Distinct domains: one row for all vertices of a type that have the same number on an index port. Rows are in the
// order in which the vertices' rows first name them, so those of the first r vertices are the first ones.

#include <algorithm>

#include "plan/plan.h"

namespace cavs {

/// Leaves in cursor_ 0, then how many vertices have each row's number. Whether a number was seen before is a coin's
/// throw, so nothing branches on it; that a vertex has none mostly goes by levels, which are in order.
void Planner::plan_distinct(std::int32_t type, Port& port) {
  const std::int32_t count = plan_->types[type].vertices;
  port.row_of = new_slice(count), port.before = new_slice(count + 1);
  distinct_.resize(std::max(distinct_.size(), static_cast<std::size_t>(port.numbers)), 0);
  groups_.resize(static_cast<std::size_t>(count) + 1);
  cursor_.assign(static_cast<std::size_t>(count) + 2, 0);
  const std::int32_t* values = at(port.values);
  std::int32_t *row_of = at(port.row_of), *before = at(port.before), *row_after = distinct_.data(),
               *group = groups_.data(), *size = cursor_.data(), rows = 0;
  for (std::int32_t r = 0; r < count; ++r) {
    before[r] = rows, row_of[r] = -1;
    const std::int32_t number = values[r];
    if (number < 0) continue;
    std::int32_t& known = row_after[number];
    const auto fresh = static_cast<std::int32_t>(known == 0);
    group[rows] = number;
    rows += fresh;
    known += -fresh & rows;
    row_of[r] = known - 1;
    ++size[known];
  }
  before[count] = rows;
  groups_.resize(rows);
  for (const std::int32_t number : groups_) row_after[number] = 0;
  port.number_of = new_slice(rows);
  std::copy(groups_.begin(), groups_.end(), at(port.number_of));
}

/// The vertices of each row, in their order; @returns where those of each row begin.
Slice Planner::group_equal(std::int32_t type, Port& port) {
  const std::int32_t rows = port.number_of.count, count = plan_->types[type].vertices;
  const Slice begins = new_slice(rows + 1);
  port.vertices = new_slice(port.present);
  for (std::int32_t k = 0; k < rows; ++k) cursor_[k + 1] += cursor_[k];
  std::copy_n(cursor_.begin(), rows + 1, at(begins));
  const std::int32_t* row_of = at(port.row_of);
  std::int32_t* vertices = at(port.vertices);
  for (std::int32_t r = 0; r < count; ++r)
    if (row_of[r] >= 0) vertices[cursor_[row_of[r]]++] = r;
  return begins;
}

}  // namespace cavs
