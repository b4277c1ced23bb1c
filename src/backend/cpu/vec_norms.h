#pragma once

#if defined(__AVX__) && !defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

namespace cavs::cpu::CAVS_ISA {

// Number of doubles in a register, so in a vector of this file. GCC passes wider vectors through memory and, with AVX,
// converts them in halves, which is several times slower. The number does not change results.
#if defined(__AVX512F__)
inline constexpr int kSquareDoubles = 8;
#elif defined(__AVX__)
inline constexpr int kSquareDoubles = 4;
#else
inline constexpr int kSquareDoubles = 2;
#endif
inline constexpr int kSquareVectors = kSquareLanes / kSquareDoubles;
typedef double SquareDoubles __attribute__((vector_size(8 * kSquareDoubles)));
typedef float SquareFloats __attribute__((vector_size(4 * kSquareDoubles), aligned(4), may_alias));

/// Loads kSquareDoubles floats and converts them to double.
inline __attribute__((always_inline)) SquareDoubles load_wide(const float* x) {
#if defined(__AVX__) && !defined(__AVX512F__)
  return _mm256_cvtps_pd(_mm_loadu_ps(x));
#else
  return __builtin_convertvector(*reinterpret_cast<const SquareFloats*>(x), SquareDoubles);
#endif
}

/// kSquareLanes sums of squares, in registers.
struct SquareSums {
  SquareDoubles vectors[kSquareVectors] = {};

  /// Adds the square of x[i] to sum i, for i < kSquareLanes. Squares of floats are exact in double, so the bits of a
  /// sum depend only on the order of additions.
  __attribute__((always_inline)) void add(const float* x) {
    each<kSquareVectors>([&](auto v) {
      const SquareDoubles wide = load_wide(x + v * kSquareDoubles);
      vectors[v] += wide * wide;
    });
  }
};

/// See cpu::square_sum.
inline double square_sum(const float* x, std::int64_t stride, int rows, int columns) {
  SquareSums sums;
  if (columns == kSquareLanes) {
    for (int r = 0; r < rows; ++r, x += stride) sums.add(x);
  } else {
    for (int r = 0; r < rows; ++r, x += stride) {
      float part[kSquareLanes] = {};
      __builtin_memcpy(part, x, sizeof(float) * static_cast<unsigned>(columns));
      sums.add(part);
    }
  }
  double lanes[kSquareLanes];
  __builtin_memcpy(lanes, sums.vectors, sizeof lanes);
  constexpr int kHalf = kSquareLanes / 2;
  for (int k = 0; k < kHalf; ++k) lanes[k] += lanes[k + kHalf];
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/// See cpu::add_squares.
inline void add_squares(const float* x, std::int64_t count, double* sums) {
  SquareSums lanes;
  __builtin_memcpy(lanes.vectors, sums, sizeof lanes.vectors);
  std::int64_t i = 0;
  for (; i + kSquareLanes <= count; i += kSquareLanes) lanes.add(x + i);
  __builtin_memcpy(sums, lanes.vectors, sizeof lanes.vectors);
  for (int lane = 0; i < count; ++i, ++lane) sums[lane] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
}

/// See cpu::largest_magnitude.
inline std::int32_t largest_magnitude(const float* x, std::int64_t count) {
  typedef std::int32_t NormBits __attribute__((vector_size(4 * kNativeLanes), aligned(4), may_alias));
  constexpr int kChains = 4;
  constexpr std::int32_t kMagnitude = 0x7fffffff;  // all bits but the sign; as integers, ordered like magnitudes
  NormBits most[kChains] = {};
  std::int64_t i = 0;
  for (; i + kChains * kNativeLanes <= count; i += kChains * kNativeLanes)
    each<kChains>([&](auto c) {
      const NormBits bits = *reinterpret_cast<const NormBits*>(x + i + c * kNativeLanes) & kMagnitude;
      most[c] = bits > most[c] ? bits : most[c];
    });
  std::int32_t lanes[kChains * kNativeLanes], largest = 0;
  __builtin_memcpy(lanes, most, sizeof lanes);
  for (const std::int32_t lane : lanes) largest = lane > largest ? lane : largest;
  for (; i < count; ++i) {
    std::int32_t bits;
    __builtin_memcpy(&bits, x + i, sizeof bits);
    bits &= kMagnitude;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

}  // namespace cavs::cpu::CAVS_ISA
