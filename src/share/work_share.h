#pragma once

#include <cstdint>

#include "support/split_range.h"

namespace cavs::inline v0_1 {

/// Part `i` of `n` of rows [begin, end), where row r costs `row` and each of its edges, [segments[r], segments[r + 1]),
/// `edge`: parts cost about the same.
RowRange split_by_cost(std::int32_t begin, std::int32_t end, int i, int n, const std::int32_t* segments,
                       std::int64_t row, std::int64_t edge);

/// Rows, and units of the packed weight, that one worker multiplies.
struct ProductShare {
  RowRange rows;
  Range<int> units{0, 0};
  bool empty() const { return rows.begin == rows.end || units.begin == units.end; }
};

/// How a product of rows with a packed weight is shared: many rows by rows, so that a worker reads what it has written
/// itself, and no other; few by columns, so that each worker's weights stay in its own cache, unless these do not
/// divide.
ProductShare share_of_product(RowRange rows, int units, const WorkPart& who);

}  // namespace cavs::inline v0_1
