#include "share/work_share.h"

#include <algorithm>

namespace cavs {

RowRange split_by_cost(std::int32_t begin, std::int32_t end, int i, int n, const std::int32_t* segments,
                       std::int64_t row, std::int64_t edge) {
  const auto before = [&](std::int32_t r) { return (r - begin) * row + (segments[r] - segments[begin]) * edge; };
  const auto cut = [&](int k) {  // the first row with its share of the cost before it
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

ProductShare share_of_product(std::int32_t row_begin, std::int32_t row_end, int units, int worker, int workers) {
  ProductShare share{row_begin, row_end, 0, units};
  constexpr std::int32_t kMany = 64, kFew = 16;  // rows of a worker
  const bool by_rows = row_end - row_begin >= (units % workers == 0 ? kMany : kFew) * workers;
  if (by_rows) {
    const RowRange rows = split_range(row_begin, row_end, worker, workers, 4);
    share.row_begin = rows.begin, share.row_end = rows.end;
  } else {
    const Range<int> own = split_range(0, units, worker, workers);
    share.unit_begin = own.begin, share.unit_end = own.end;
  }
  return share;
}

}  // namespace cavs
