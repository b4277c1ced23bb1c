#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

namespace cavs::cpu::CAVS_ISA {

typedef double SquareDoubles __attribute__((vector_size(8 * kSquareLanes / 2)));
typedef float SquareFloats __attribute__((vector_size(4 * kSquareLanes / 2), aligned(4), may_alias));

/// Adds the squares of kSquareLanes floats. Squares of floats are exact in double, so only the order of additions makes
/// the bits.
inline __attribute__((always_inline)) void add_square_row(const float* x, SquareDoubles (&lanes)[2]) {
  each<2>([&](auto half) {
    const auto wide =
        __builtin_convertvector(*reinterpret_cast<const SquareFloats*>(x + half * kSquareLanes / 2), SquareDoubles);
    lanes[half] += wide * wide;
  });
}

/// See cpu::square_sum.
inline double square_sum(const float* x, std::int64_t stride, int rows, int columns) {
  SquareDoubles lanes[2] = {};
  if (columns == kSquareLanes) {
    for (int r = 0; r < rows; ++r, x += stride) add_square_row(x, lanes);
  } else {
    for (int r = 0; r < rows; ++r, x += stride) {
      float part[kSquareLanes] = {};
      __builtin_memcpy(part, x, sizeof(float) * static_cast<unsigned>(columns));
      add_square_row(part, lanes);
    }
  }
  const SquareDoubles sums = lanes[0] + lanes[1];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// See cpu::add_squares.
inline void add_squares(const float* x, std::int64_t count, double* sums) {
  SquareDoubles lanes[2];
  __builtin_memcpy(lanes, sums, sizeof lanes);
  std::int64_t i = 0;
  for (; i + kSquareLanes <= count; i += kSquareLanes) add_square_row(x + i, lanes);
  __builtin_memcpy(sums, lanes, sizeof lanes);
  for (int lane = 0; i < count; ++i, ++lane) sums[lane] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
}

}  // namespace cavs::cpu::CAVS_ISA
