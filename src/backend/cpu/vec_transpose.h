#pragma once

#include <utility>

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

namespace cavs::cpu::CAVS_ISA {

/// Exchanges half of the lanes of a and b: lane i + kStep of a with lane i of b, for each i without the bit kStep.
template <int kStep, int... kLane>
inline __attribute__((always_inline)) void exchange(Vec& a, Vec& b, std::integer_sequence<int, kLane...>) {
  const Vec first = a, second = b;
  a = __builtin_shufflevector(first, second, ((kLane & kStep) != 0 ? kLanes + kLane - kStep : kLane)...);
  b = __builtin_shufflevector(first, second, ((kLane & kStep) != 0 ? kLanes + kLane : kLane + kStep)...);
}

/// Does a step of a transposition: swaps the bit kStep of each element's vector number with that of its lane number.
template <int kStep>
inline __attribute__((always_inline)) void exchange(Vec* rows) {
  CAVS_UNROLL
  for (int i = 0; i < kLanes; ++i)
    if ((i & kStep) == 0) exchange<kStep>(rows[i], rows[i + kStep], std::make_integer_sequence<int, kLanes>());
}

/// Transposes a square of kLanes rows and columns.
inline void transpose_square(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride) {
  Vec rows[kLanes];
  CAVS_UNROLL
  for (int i = 0; i < kLanes; ++i) rows[i] = load(from + i * from_stride);
  exchange<1>(rows);
  exchange<2>(rows);
  if constexpr (kLanes > 4) exchange<4>(rows);
  if constexpr (kLanes > 8) exchange<8>(rows);
  CAVS_UNROLL
  for (int i = 0; i < kLanes; ++i) store(to + i * to_stride, rows[i]);
}

/// Transposes a contiguous matrix [kSlice, kSlice].
inline void transpose_slice(const float* from, float* to) {
  CAVS_UNROLL
  for (int c = 0; c < kSlice; c += kLanes)
    for (int r = 0; r < kSlice; r += kLanes)
      transpose_square(from + r * kSlice + c, kSlice, to + c * kSlice + r, kSlice);
}

inline void transpose(const float* from, std::int64_t from_stride, int rows, int columns, float* to,
                      std::int64_t to_stride) {
  const int row_squares = rows / kLanes * kLanes, column_squares = columns / kLanes * kLanes;
  for (int c = 0; c < column_squares; c += kLanes)
    for (int r = 0; r < row_squares; r += kLanes)
      transpose_square(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
  for (int c = 0; c < columns; ++c)
    for (int r = c < column_squares ? row_squares : 0; r < rows; ++r) to[c * to_stride + r] = from[r * from_stride + c];
}

}  // namespace cavs::cpu::CAVS_ISA
