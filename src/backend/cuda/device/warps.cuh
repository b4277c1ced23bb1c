#pragma once

// Lanes and warps, and the rows and columns of a thread.

#include "backend/cuda/device/operation.h"
#include "backend/cuda/device/scalar_math.cuh"

namespace cavs::cuda {

CAVS_DEVICE int lane() { return thread() % 32; }
CAVS_DEVICE int warp() { return thread() / 32; }
CAVS_DEVICE i32 smaller(i32 a, i32 b) { return a < b ? a : b; }
CAVS_DEVICE i32 larger(i32 a, i32 b) { return a > b ? a : b; }

/// Calls f(row, column) for every `step`-th element of [rows, columns), from element number `first`. Divides only once.
template <typename F>
CAVS_DEVICE void each_pair(i32 first, i32 step, i32 rows, i32 columns, F f) {
  i32 row = quotient(first, columns), column = first - row * columns;
  const i32 rows_of_step = quotient(step, columns);
  const i32 columns_of_step = step - rows_of_step * columns;
#pragma unroll 1
  while (row < rows) {
    f(row, column);
    row += rows_of_step;
    column += columns_of_step;
    if (column >= columns) column -= columns, ++row;
  }
}

/// Return the sum, maximum or minimum of x over a warp's lanes, to each lane. The order of additions is fixed.
template <typename T>
CAVS_DEVICE T warp_sum(T x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x += shuffle_xor(x, mask);
  return x;
}
CAVS_DEVICE float warp_max(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x = math::max(x, shuffle_xor(x, mask));
  return x;
}
CAVS_DEVICE i32 warp_min(i32 x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x = smaller(x, shuffle_xor(x, mask));
  return x;
}

}  // namespace cavs::cuda
