#pragma once

#include "backend/cuda/batched/launch.h"
#include "backend/cuda/device/warps.cuh"
#include "backend/cuda/entries/device/program.cuh"

namespace cavs::cuda {

/// Returns 1 if all bits of the exponent are set (the number is infinite or NaN), else 0.
CAVS_DEVICE i32 is_infinite_or_nan(float x) { return (bits_of(x) & 0x7F800000U) == 0x7F800000U ? 1 : 0; }

/// Copies a row with the lanes of a warp. @return for each lane, 1 if a number that it copied is not finite, else 0
CAVS_DEVICE i32 copy_row(const RowCopy& row, i32 width) {
  i32 bad = 0;
#pragma unroll 1
  for (i32 c = lane(); c < width; c += 32) {
    const float x = row.from == nullptr ? 0.0F : load(row.from + c);
    store(row.to + c, x);
    bad |= is_infinite_or_nan(x);
  }
  return bad;
}

/// Copies states to their slots. Each warp copies all states of a vertex.
CAVS_DEVICE void keep_states(const StateCopies& copies) {
#pragma unroll 1
  for (i32 v = processor() * kWarps + warp(); v < copies.vertices; v += processors() * kWarps) {
    i32 bad = 0;
#pragma unroll 1
    for (i32 s = 0; s < copies.states; ++s)
      bad |= copy_row(load(copies.rows + v * copies.states + s), load_fixed(copies.widths + s));
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) bad |= shuffle_xor(bad, mask);
    if (lane() == 0) store(copies.finite + v, 1 - bad);
  }
}

}  // namespace cavs::cuda
