#pragma once

#include <cstdint>

namespace cavs::inline v0_1 {

/// Rows of a float matrix as kernels read them. Row r is `width` floats at base + (index ? index[r] : r) * stride.
/// An index of -1 is a row of zeros. stride 0 is one row for all r. width 1 is one number for all columns.
/// Gathers, lookups, broadcasts to edges and slices are all this view: no copy is made for them.
struct ConstRows {
  const float* base = nullptr;
  std::int64_t stride = 0;
  const std::int32_t* index = nullptr;
  std::int32_t width = 0;
  std::int32_t split = 1;  // for sums over rows: each holds so many, `width` floats each, one after the other
};

/// Rows of a float matrix as kernels write them: row r is at base + r * stride.
struct Rows {
  float* base = nullptr;
  std::int64_t stride = 0;
  std::int32_t width = 0;
};

}  // namespace cavs::inline v0_1
