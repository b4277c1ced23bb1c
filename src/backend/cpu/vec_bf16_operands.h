#pragma once

// Loops for vectors of 16 lanes that round the operands of bf16 products, and store them in the order in which tiles
// read them (backend/cpu/bf16.h). kDistance is Bf16Isa::pair_distance.

#include "backend/cpu/bf16.h"
#include "backend/cpu/vec.h"
#include "backend/cpu/vec_transpose.h"

namespace cavs::cpu::CAVS_ISA {

static_assert(kLanes == kTileSide);

/// A left operand is [pair of tiles][step][tile of the pair][kTileSide rows][kTileDepth]. kLeftStep is the numbers per
/// step of a pair. left_tile() returns the position of step 0 of the tile that contains `row`.
constexpr std::int64_t kLeftStep = 2 * kTileNumbers;
inline std::int64_t left_tile(int row, int steps) {
  return std::int64_t{row / (2 * kTileSide)} * steps * kLeftStep + row / kTileSide % 2 * kTileNumbers;
}

inline void store_numbers(Bf16* to, Bits numbers) { __builtin_memcpy(to, &numbers, sizeof(numbers)); }

#if defined(__AVX512BF16__)

/// Returns 32 numbers in bf16: the lanes of `low`, then the lanes of `high`.
inline Bits round_both(Vec low, Vec high) { return (Bits)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low); }

/// Returns 16 pairs of numbers in bf16: lane i has low[i] in its lower half and high[i] in its upper half.
inline Bits pair(Vec low, Vec high) {
  alignas(64) static constexpr std::uint16_t kInterleaved[] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                               21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                               11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return (Bits)_mm512_permutexvar_epi16(_mm512_load_si512(kInterleaved), (__m512i)round_both(low, high));
}

/// Reorders every four numbers, [0 1 2 3], to [2 0 3 1].
inline Bits exchange_in_fours(Bits numbers) {
  const __m128i order = _mm_setr_epi8(4, 5, 0, 1, 6, 7, 2, 3, 12, 13, 8, 9, 14, 15, 10, 11);
  return (Bits)_mm512_shuffle_epi8((__m512i)numbers, _mm512_maskz_broadcast_i32x4(0xFFFF, order));
}

#else

/// Rounds each lane to bf16. The result is in the upper half of the lane. With CAVS_ROUND_TAKES_ZEROS, denormals become
/// zeros, as in the rounding instruction, even if they would round up to a normal number.
inline Bits round(Vec x) {
  Bits b = bits(x);
#if defined(CAVS_ROUND_TAKES_ZEROS)
  b = bits(select((Ints)((b & 0x7F800000U) == 0), from_bits(b & 0x80000000U), x));
#endif
  return bits(select((Ints)(x != x), from_bits(b | 0x400000U), from_bits(b + 0x7FFFU + (b >> 16 & 1U))));
}
inline Bits pair(Vec low, Vec high) { return round(low) >> 16 | (round(high) & 0xFFFF0000U); }
inline Bits round_both(Vec low, Vec high) {
  const Bits l = round(low), h = round(high);
#if defined(__AVX512BW__)
  alignas(64) static constexpr std::uint16_t kUpperHalves[] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21,
                                                               23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43,
                                                               45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  return (Bits)_mm512_permutex2var_epi16((__m512i)l, _mm512_load_si512(kUpperHalves), (__m512i)h);
#else
  Bits both;
  for (int i = 0; i < kLanes / 2; ++i) {
    both[i] = l[2 * i] >> 16 | (l[2 * i + 1] & 0xFFFF0000U);
    both[kLanes / 2 + i] = h[2 * i] >> 16 | (h[2 * i + 1] & 0xFFFF0000U);
  }
  return both;
#endif
}

#endif

/// Returns step s of a row of k numbers: numbers [32 s, 32 s + 32) in bf16, with zeros after the end of the row.
template <int kDistance>
inline Bits row_of_step(const float* x, int s, int k) {
  const float* const from = x + s * kTileDepth;
  const int count = k - s * kTileDepth;
  const auto part = [&](int first) {
    if (count >= first + kLanes) return load(from + first);
    return count > first ? load_part(from + first, count - first) : Vec{};
  };
  const Bits row = round_both(part(0), part(kLanes));
#if defined(__AVX512BF16__)
  if constexpr (kDistance == 2) return exchange_in_fours(row);
#endif
  return row;
}

/// Returns the numbers of pair p (see pair_distance) of the rows x, for columns [c, end) but at most kLanes, in bf16.
template <int kDistance>
inline Bits pair_of_rows(const float* const* x, int p, int c, int end) {
  const int first = p / kDistance * 2 * kDistance + p % kDistance, second = first + kDistance;
  const auto part = [&](int row) { return end - c >= kLanes ? load(x[row] + c) : load_part(x[row] + c, end - c); };
  return kDistance == 1 ? pair(part(first), part(second)) : pair(part(second), part(first));
}

inline __attribute__((always_inline)) void transpose_pairs(Vec (&lanes)[kLanes]) {
  exchange<1>(lanes);
  exchange<2>(lanes);
  exchange<4>(lanes);
  exchange<8>(lanes);
}

template <int kDistance>
void round_rows(const float* const* x, int rows, int k, Bf16* left) {
  const int steps = bf16_steps(k), filled = (rows + kTileSide - 1) / kTileSide * kTileSide;
  for (int r = 0; r < filled; ++r) {
    Bf16* const to = left + left_tile(r, steps) + r % kTileSide * kTileDepth;
    for (int s = 0; s < steps; ++s)
      store_numbers(to + s * kLeftStep, r < rows ? row_of_step<kDistance>(x[r], s, k) : Bits{});
  }
}

template <int kDistance>
void round_columns(const float* const* x, int count, int begin, int end, Bf16* left) {
  const int steps = count / kTileDepth;
  for (int s = 0; s < steps; ++s)
    for (int c = begin; c < end; c += kTileSide) {
      Vec lanes[kLanes];
      for (int p = 0; p < kLanes; ++p) lanes[p] = from_bits(pair_of_rows<kDistance>(x + s * kTileDepth, p, c, end));
      transpose_pairs(lanes);
      Bf16* const to = left + left_tile(c - begin, steps) + s * kLeftStep;
      for (int i = 0; i < kLanes; ++i) store_numbers(to + i * kTileDepth, bits(lanes[i]));
    }
}

template <int kDistance>
void pair_rows(const float* const* x, int count, int begin, int end, Bf16* right, std::int64_t slice_stride) {
  constexpr int kPairs = kTileSide / 2;
  for (int r = 0; r < count; r += kTileSide)
    for (int c = begin; c < end; c += kSlice) {
      Bf16* const to = right + (c - begin) / kSlice * slice_stride + std::int64_t{r} * kSlice;
      for (int p = 0; p < kPairs; ++p) store_numbers(to + p * 2 * kSlice, pair_of_rows<kDistance>(x + r, p, c, end));
    }
}

template <int kDistance>
void pair_columns(const float* const* x, int count, int k, Bf16* slice) {
  for (int s = 0; s < bf16_steps(k); ++s) {
    Vec lanes[kLanes];
    for (int i = 0; i < kLanes; ++i) lanes[i] = i < count ? from_bits(row_of_step<kDistance>(x[i], s, k)) : Vec{};
    transpose_pairs(lanes);
    for (int p = 0; p < kLanes; ++p) store_numbers(slice + s * kTileNumbers + p * 2 * kSlice, bits(lanes[p]));
  }
}

/// Writes one row of a slice's results to the destination, or adds it if out.add.
inline void write_sum(const SliceOut& out, int row, Vec sum) {
  float* const y = out.y + row * out.stride;
  if (out.columns == kLanes)
    store(y, out.add ? load(y) + sum : sum);
  else
    store_part(y, out.columns, out.add ? load_part(y, out.columns) + sum : sum);
}

}  // namespace cavs::cpu::CAVS_ISA
