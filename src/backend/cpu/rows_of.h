#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/rows.h"

namespace cavs::cpu {

/// Writes the addresses of rows [begin, begin + count) of x; `zeros` (x.width floats) for an index of -1.
inline void rows_of(const ConstRows& x, std::int32_t begin, int count, const float* zeros, const float** rows) {
  if (x.split > 1) {
    for (int i = 0; i < count; ++i) {
      const std::int32_t of = (begin + i) / x.split, part = (begin + i) % x.split;
      const std::int64_t r = x.index ? x.index[of] : of;
      rows[i] = r < 0 ? zeros : x.base + r * x.stride + std::int64_t{part} * x.width;
    }
    return;
  }
  for (int i = 0; i < count; ++i) {
    const std::int64_t r = x.index ? x.index[begin + i] : begin + i;
    rows[i] = r < 0 ? zeros : x.base + r * x.stride;
  }
}

/// A worker's part [begin, end) of `count` units.
struct Share {
  int begin, end;
};
inline Share share_of(int count, int worker, int workers) {
  const auto at = [=](int w) { return static_cast<int>(std::int64_t{count} * w / workers); };
  return {at(worker), at(worker + 1)};
}
/// The same of columns, in whole units of `unit` columns.
inline Share share_of_columns(int columns, int unit, int worker, int workers) {
  const Share s = share_of((columns + unit - 1) / unit, worker, workers);
  return {std::min(s.begin * unit, columns), std::min(s.end * unit, columns)};
}

}  // namespace cavs::cpu
