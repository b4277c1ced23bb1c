#pragma once

#include <cstdint>

#include "support/split_range.h"

namespace cavs::inline v0_1 {

/// Returns part `i` of `n` parts of rows [begin, end) with about equal costs. Row r costs `row`, and each of its edges
/// [segments[r], segments[r + 1]) costs `edge`.
RowRange split_by_cost(std::int32_t begin, std::int32_t end, int i, int n, const std::int32_t* segments,
                       std::int64_t row, std::int64_t edge);

/// The rows that one worker multiplies, and the units (slices of columns) of the packed weights for these rows.
struct ProductShare {
  RowRange rows;
  Range<int> units{0, 0};
  bool empty() const { return rows.begin == rows.end || units.begin == units.end; }
};

/// Divides a product of rows with packed weights among workers. Many rows are divided by rows, so that a worker reads
/// only what it has written. Few rows are divided by columns, so that each worker's weights stay in its own cache,
/// unless the columns cannot be divided evenly.
ProductShare share_of_product(RowRange rows, int units, const WorkPart& work);

}  // namespace cavs::inline v0_1
