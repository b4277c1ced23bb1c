#pragma once

#include <cstdint>

namespace cavs::inline v0_1 {

/// Rows of a float matrix that kernels read. Row r is `width` floats at base + (index ? index[r] : r) * stride.
/// An index of -1 is a row of zeros. Stride 0 broadcasts one row to all r; width 1 broadcasts one number to all
/// columns. Gathers, lookups, broadcasts to edges and slices use this view without a copy.
struct ConstRows {
  const float* base = nullptr;
  std::int64_t stride = 0;
  const std::int32_t* index = nullptr;
  std::int32_t width = 0;
  std::int32_t split = 1;  // number of rows r that each row in memory holds, one after another (for sums over rows)
};

/// Rows of a float matrix that kernels write. Row r is at base + r * stride.
struct Rows {
  float* base = nullptr;
  std::int64_t stride = 0;
  std::int32_t width = 0;
};

}  // namespace cavs::inline v0_1
