#include "share/work_share.h"

namespace cavs::inline v0_1 {

RowRange split_by_cost(std::int32_t begin, std::int32_t end, int i, int n, const std::int32_t* segments,
                       std::int64_t row, std::int64_t edge) {
  const auto before = [&](std::int32_t r) { return (r - begin) * row + (segments[r] - segments[begin]) * edge; };
  const auto cut = [&](int k) {  // returns the first row of part k
    std::int32_t low = k == n ? end : begin, high = end;
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (before(middle) * n < before(end) * k)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  return {cut(i), cut(i + 1)};
}

ProductShare share_of_product(RowRange rows, int units, const WorkPart& work) {
  constexpr std::int32_t kMany = 64, kFew = 16;  // fewest rows per worker to divide rows; kMany if units divide evenly
  if (rows.end - rows.begin >= (units % work.parts == 0 ? kMany : kFew) * work.parts)
    return {split_range(rows.begin, rows.end, work, 4), {0, units}};
  return {rows, split_range(0, units, work)};
}

}  // namespace cavs::inline v0_1
