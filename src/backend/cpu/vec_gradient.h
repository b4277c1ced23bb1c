#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"
#include "backend/cpu/vec_product.h"

// Sums over rows: gradients of weights and biases.
namespace cavs::cpu::CAVS_ISA {

/// Stores the first `columns` numbers, at most kVectors * kLanes, of a row of accumulators to y.
template <int kVectors>
void store_row(const Vec* row, float* y, int columns) {
  int v = 0;
  for (; v < kVectors && columns >= kLanes; ++v, y += kLanes, columns -= kLanes) store(y, row[v]);
  if (v < kVectors && columns > 0) store_part(y, columns, row[v]);
}

/// Copies columns [begin, begin + kWidth) of `count` rows to `out`, [count][kWidth]. Columns from `end` on become zero.
template <int kWidth>
void pack_columns(const float* const* rows, int count, int begin, int end, float* out) {
  if (begin + kWidth <= end) {
    for (int r = 0; r < count; ++r, out += kWidth) __builtin_memcpy(out, rows[r] + begin, kWidth * sizeof(float));
    return;
  }
  for (int r = 0; r < count; ++r, out += kWidth)
    for (int c = 0; c < kWidth; ++c) out[c] = begin + c < end ? rows[r][begin + c] : 0.0F;
}

/// Computes kTileRows x kStripPanel elements of a weight gradient, from row a_begin and column b_begin of dw. `strip`
/// has these columns of a, and `panel` these columns of b, packed by pack_columns().
inline void gradient_tile(const float* strip, const float* panel, int rows, const GradientPart& part, int a_begin,
                          int b_begin) {
  constexpr int kVectors = kStripPanel / kLanes;
  Vec acc[kTileRows][kVectors];
  each_vector<kTileRows, kVectors>([&](auto i, auto v) { acc[i][v] = Vec{}; });
  multiply<kTileRows, kVectors>([strip](int i, int p) { return strip[p * kTileRows + i]; },
                                [panel](int p, int v) { return panel + p * kStripPanel + v * kLanes; }, 0, rows, acc);
  const int a_count = part.a_end - a_begin < kTileRows ? part.a_end - a_begin : kTileRows;
  const int b_count = part.b_end - b_begin < kStripPanel ? part.b_end - b_begin : kStripPanel;
  float* const first = part.dw + a_begin * part.a_stride + b_begin * part.b_stride;
  const bool in_vectors = part.b_stride == 1 && b_count == kStripPanel;
  if (in_vectors && a_count == kTileRows) {
    const auto place = [&](auto i, auto v) { return first + i * part.a_stride + v * kLanes; };
    if (part.add)
      each_vector<kTileRows, kVectors>([&](auto i, auto v) { store(place(i, v), load(place(i, v)) + acc[i][v]); });
    else
      each_vector<kTileRows, kVectors>([&](auto i, auto v) { store(place(i, v), acc[i][v]); });
    return;
  }
  Accumulators<kTileRows, kVectors> sums;
  each_vector<kTileRows, kVectors>([&](auto i, auto v) { sums.v[i][v] = acc[i][v]; });
  for (int i = 0; i < a_count; ++i) {
    float* const dw = first + i * part.a_stride;
    if (in_vectors) {
      for (int v = 0; v < kVectors; ++v) {
        float* const d = dw + v * kLanes;
        store(d, part.add ? load(d) + sums.v[i][v] : sums.v[i][v]);
      }
      continue;
    }
    float row[kStripPanel];
    store_row<kVectors>(sums.v[i], row, kStripPanel);
    for (int j = 0; j < b_count; ++j) {
      float& d = dw[j * part.b_stride];
      d = part.add ? d + row[j] : row[j];
    }
  }
}

inline constexpr int kGradientSpace = (kGradientColumns + kTileRows) * kSumBlock;  // Isa::gradient_space

inline void gradient_block(const float* const* a, const float* const* b, int rows, const GradientPart& part,
                           float* space) {
  float* const panels = space;
  float* const strip = space + kGradientColumns * kSumBlock;
  for (int chunk = part.b_begin; chunk < part.b_end; chunk += kGradientColumns) {
    const int chunk_end = part.b_end - chunk < kGradientColumns ? part.b_end : chunk + kGradientColumns;
    for (int j = chunk; j < chunk_end; j += kStripPanel)
      pack_columns<kStripPanel>(b, rows, j, part.b_end, panels + static_cast<std::int64_t>(j - chunk) * rows);
    for (int i = part.a_begin; i < part.a_end; i += kTileRows) {
      pack_columns<kTileRows>(a, rows, i, part.a_end, strip);
      for (int j = chunk; j < chunk_end; j += kStripPanel)
        gradient_tile(strip, panels + static_cast<std::int64_t>(j - chunk) * rows, rows, part, i, j);
    }
  }
}

/// Computes rows [row, row + kRows) of kStrips strips (Isa::gradient_strips), which are `stride` floats apart in dw.
template <int kRows, int kStrips>
inline __attribute__((always_inline)) void strip_tile(const float* const* a, int row, const float* const* b,
                                                      const int* b_begin, int rows, bool add, float* dw,
                                                      std::int64_t stride) {
  constexpr int kVectors = kStrips * kSliceVectors;
  Vec acc[kRows][kVectors];
  each_vector<kRows, kVectors>([&](auto i, auto v) { acc[i][v] = Vec{}; });
  const int first = b_begin[0], second = b_begin[kStrips - 1];
  for (int p = 0; p < rows; ++p) {
    const float *const left = a[p] + row, *const right[] = {b[p] + first, b[p] + second};
    Vec r[kVectors];
    each<kVectors>([&](auto v) __attribute__((always_inline)) {
      r[v] = load(right[v / kSliceVectors] + v % kSliceVectors * kLanes);
    });
    each<kRows>([&](auto i) __attribute__((always_inline)) {
      const Vec l = splat(left[i]);
      each<kVectors>([&](auto v) __attribute__((always_inline)) { acc[i][v] = fma(l, r[v], acc[i][v]); });
    });
  }
  const auto place = [dw, stride](auto i, auto v) {
    return dw + v / kSliceVectors * stride + i * kSlice + v % kSliceVectors * kLanes;
  };
  if (add)
    each_vector<kRows, kVectors>([&](auto i, auto v) { store(place(i, v), load(place(i, v)) + acc[i][v]); });
  else
    each_vector<kRows, kVectors>([&](auto i, auto v) { store(place(i, v), acc[i][v]); });
}

/// See Isa::gradient_strips. If there are enough registers, two strips are computed together, so that a is loaded once.
inline void gradient_strips(const float* const* a, int a_begin, int a_end, const float* const* b, const int* b_begin,
                            int strips, int rows, bool add, float* dw) {
  constexpr int kOfOne = kManyRegisters ? 16 / kSliceVectors : 8 / kSliceVectors;
  const std::int64_t stride = std::int64_t{a_end - a_begin} * kSlice;
  int s = 0;
  if constexpr (kManyRegisters && kSliceVectors == 1)
    for (; s + 2 <= strips; s += 2)
      for (int row = a_begin; row < a_end; row += 8)
        strip_tile<8, 2>(a, row, b, b_begin + s, rows, add, dw + s * stride + (row - a_begin) * kSlice, stride);
  for (; s < strips; ++s)
    for (int row = a_begin; row < a_end; row += kOfOne)
      strip_tile<kOfOne, 1>(a, row, b, b_begin + s, rows, add, dw + s * stride + (row - a_begin) * kSlice, stride);
}

template <int kVectors>
void sum_columns(const float* const* x, int rows, float* out, int c, bool add) {
  Vec sums[kVectors];
  each<kVectors>([&](auto v) { sums[v] = Vec{}; });
  for (int r = 0; r < rows; ++r) each<kVectors>([&](auto v) { sums[v] += load(x[r] + c + v * kLanes); });
  each<kVectors>([&](auto v) {
    float* const o = out + c + v * kLanes;
    store(o, add ? load(o) + sums[v] : sums[v]);
  });
}

inline void sum_block(const float* const* x, int rows, int begin, int end, float* out, bool add) {
  int c = begin;
  for (; c + 8 * kLanes <= end; c += 8 * kLanes) sum_columns<8>(x, rows, out, c, add);
  for (; c + 4 * kLanes <= end; c += 4 * kLanes) sum_columns<4>(x, rows, out, c, add);
  for (; c + kLanes <= end; c += kLanes) sum_columns<1>(x, rows, out, c, add);
  for (; c < end; ++c) {
    float sum = 0;
    for (int r = 0; r < rows; ++r) sum += x[r][c];
    out[c] = add ? out[c] + sum : sum;
  }
}

}  // namespace cavs::cpu::CAVS_ISA
