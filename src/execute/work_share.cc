#include "execute/work_share.h"

#include <algorithm>
#include <tuple>

namespace cavs {

std::pair<std::int32_t, std::int32_t> part(std::int32_t begin, std::int32_t end, int i, int n, std::int32_t grain) {
  const std::int64_t units = (end - begin + grain - 1) / grain;
  const auto cut = [&](int k) { return std::min<std::int64_t>(end, begin + units * k / n * grain); };
  return {static_cast<std::int32_t>(cut(i)), static_cast<std::int32_t>(cut(i + 1))};
}

std::pair<std::int32_t, std::int32_t> part_by_cost(std::int32_t begin, std::int32_t end, int i, int n,
                                                   const std::int32_t* segments, std::int64_t row, std::int64_t edge) {
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
  const bool by_rows = units % workers != 0 && row_end - row_begin >= 16 * workers;
  if (by_rows)
    std::tie(share.row_begin, share.row_end) = part(row_begin, row_end, worker, workers, 4);
  else
    std::tie(share.unit_begin, share.unit_end) = part(0, units, worker, workers);
  return share;
}

}  // namespace cavs
