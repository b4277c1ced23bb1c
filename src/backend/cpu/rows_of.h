#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/rows.h"

namespace cavs::cpu {

/// Writes the addresses of rows [begin, begin + count) of x to `rows`; for a row with index -1, the address `zeros`.
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

}  // namespace cavs::cpu
