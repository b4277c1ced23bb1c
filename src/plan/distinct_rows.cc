#include "plan/distinct_rows.h"

#include <algorithm>

namespace cavs::inline v0_1 {

/// The loop has no branch on whether a value was seen before, since such a branch is unpredictable. The branch for
/// vertices without a value is cheap: rows are in level order, so such vertices mostly follow each other.
void DistinctRows::number(PlanDraft& draft, PortRows& port) {
  const std::int32_t count = port.values.count;
  port.row_of = draft.new_slice(count);
  port.before = draft.new_slice(count + 1);
  row_after_.resize(std::max(row_after_.size(), static_cast<std::size_t>(port.numbers)), 0);
  numbers_.resize(static_cast<std::size_t>(count) + 1);
  cursor_.assign(static_cast<std::size_t>(count) + 2, 0);
  const std::int32_t* values = draft.at(port.values);
  std::int32_t *row_of = draft.at(port.row_of), *before = draft.at(port.before), *row_after = row_after_.data(),
               *number_of = numbers_.data(), *size = cursor_.data(), rows = 0;
  for (std::int32_t r = 0; r < count; ++r) {
    before[r] = rows;
    row_of[r] = -1;
    const std::int32_t number = values[r];
    if (number < 0) continue;
    std::int32_t& known = row_after[number];
    const auto fresh = static_cast<std::int32_t>(known == 0);
    number_of[rows] = number;
    rows += fresh;
    known += -fresh & rows;
    row_of[r] = known - 1;
    ++size[known];
  }
  for (std::int32_t k = 0; k < rows; ++k) row_after[number_of[k]] = 0;
  before[count] = rows;
  numbers_.resize(rows);
  port.number_of = draft.new_slice(rows);
  std::copy(numbers_.begin(), numbers_.end(), draft.at(port.number_of));
}

Slice DistinctRows::group(PlanDraft& draft, PortRows& port) {
  const std::int32_t rows = port.number_of.count;
  const Slice begins = draft.new_slice(rows + 1);
  port.vertices = draft.new_slice(port.present);
  for (std::int32_t k = 0; k < rows; ++k) cursor_[k + 1] += cursor_[k];
  std::copy_n(cursor_.begin(), rows + 1, draft.at(begins));
  const std::int32_t* row_of = draft.at(port.row_of);
  std::int32_t* vertices = draft.at(port.vertices);
  for (std::int32_t r = 0; r < port.row_of.count; ++r)
    if (row_of[r] >= 0) vertices[cursor_[row_of[r]]++] = r;
  return begins;
}

}  // namespace cavs::inline v0_1
