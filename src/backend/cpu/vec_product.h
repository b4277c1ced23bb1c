#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

// Products. Each element of a result is one chain of multiply-adds over ascending k from zero, held in one lane of one
// register, so its bits do not depend on the shape of the register tile that it is computed in.
namespace cavs::cpu::CAVS_ISA {

inline constexpr int kTileRows = 6;

/// Vectors across a register tile of `rows` rows: enough independent chains to hide the latency of a multiply-add, few
/// enough to stay in registers.
constexpr int tile_vectors(int rows) {
  if (kManyRegisters) return 4;
  return rows == 1 ? 8 : rows <= 3 ? 4 : 2;
}
inline constexpr int kStripPanel = tile_vectors(kTileRows) * kLanes;

template <int kRows, int kVectors>
struct Accumulators {
  Vec v[kRows][kVectors];
};

/// The register tile: sums left(row, p) * right[p * right_stride + column] over p in [0, k).
template <int kRows, int kVectors, typename Left>
inline __attribute__((always_inline)) void multiply(Left left, const float* right, std::int64_t right_stride, int k,
                                                    Accumulators<kRows, kVectors>& sums) {
  Vec acc[kRows][kVectors] = {};
  for (int p = 0; p < k; ++p, right += right_stride) {
    Vec r[kVectors];
    CAVS_UNROLL
    for (int v = 0; v < kVectors; ++v) r[v] = load(right + v * kLanes);
    CAVS_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const Vec l = splat(left(i, p));
      CAVS_UNROLL
      for (int v = 0; v < kVectors; ++v) acc[i][v] = fma(l, r[v], acc[i][v]);
    }
  }
  CAVS_UNROLL
  for (int i = 0; i < kRows; ++i) {
    CAVS_UNROLL
    for (int v = 0; v < kVectors; ++v) sums.v[i][v] = acc[i][v];
  }
}

/// The first `columns` <= kVectors * kLanes lanes of a row of accumulators.
template <int kVectors>
void store_row(const Vec* row, float* y, int columns) {
  int v = 0;
  for (; v < kVectors && columns >= kLanes; ++v, y += kLanes, columns -= kLanes) store(y, row[v]);
  if (v < kVectors && columns > 0) store_part(y, columns, row[v]);
}

/// y[i, 0:columns) = x[i] * slice for kRows rows; a slice is kVectors vectors of a panel's columns.
template <int kRows, int kVectors>
void product_tile(const float* const* x, int k, const float* slice, float* y, std::int64_t y_stride, int columns) {
  const float* rows[kRows];
  for (int i = 0; i < kRows; ++i) rows[i] = x[i];
  Accumulators<kRows, kVectors> sums;
  multiply<kRows, kVectors>([&rows](int i, int p) { return rows[i][p]; }, slice, kPanel, k, sums);
  for (int i = 0; i < kRows; ++i) store_row<kVectors>(sums.v[i], y + i * y_stride, columns);
}

/// All rows by one slice after the other, so that a slice stays in the first cache. `tiles` register tiles of nearly
/// equal height, at most kRows.
template <int kRows>
void product_tiles(const float* const* x, int count, int tiles, int k, const float* panel, float* y,
                   std::int64_t y_stride, int columns) {
  constexpr int kVectors = tile_vectors(kRows);
  for (int c = 0; c < columns; c += kVectors * kLanes) {
    for (int t = 0, row = 0; t < tiles; ++t) {
      const int rows = (count - row + tiles - t - 1) / (tiles - t);
      if (rows == kRows)
        product_tile<kRows, kVectors>(x + row, k, panel + c, y + row * y_stride + c, y_stride, columns - c);
      else if constexpr (kRows > 1)
        product_tile<kRows - 1, kVectors>(x + row, k, panel + c, y + row * y_stride + c, y_stride, columns - c);
      row += rows;
    }
  }
}

inline void product(const float* const* x, int count, int k, const float* panel, float* y, std::int64_t y_stride,
                    int columns) {
  using Kernel = void (*)(const float* const*, int, int, int, const float*, float*, std::int64_t, int);
  static constexpr Kernel kKernels[kTileRows + 1] = {
      nullptr,          product_tiles<1>, product_tiles<2>, product_tiles<3>,
      product_tiles<4>, product_tiles<5>, product_tiles<6>,
  };
  const int tiles = (count + kTileRows - 1) / kTileRows;
  if (tiles > 0) kKernels[(count + tiles - 1) / tiles](x, count, tiles, k, panel, y, y_stride, columns);
}

/// Columns [begin, begin + kWidth) of rows as one contiguous block [rows][kWidth]; zeros from `end` on.
template <int kWidth>
void pack_columns(const float* const* rows, int count, int begin, int end, float* out) {
  if (begin + kWidth <= end) {
    for (int r = 0; r < count; ++r, out += kWidth) __builtin_memcpy(out, rows[r] + begin, kWidth * sizeof(float));
    return;
  }
  for (int r = 0; r < count; ++r, out += kWidth)
    for (int c = 0; c < kWidth; ++c) out[c] = begin + c < end ? rows[r][begin + c] : 0.0F;
}

/// One register tile of a weight gradient, from packed operands: rows i of dw start at a_begin, columns at b_begin.
inline void gradient_tile(const float* strip, const float* panel, int rows, const GradientPart& part, int a_begin,
                          int b_begin) {
  constexpr int kVectors = kStripPanel / kLanes;
  Accumulators<kTileRows, kVectors> sums;
  multiply<kTileRows, kVectors>([strip](int i, int p) { return strip[p * kTileRows + i]; }, panel, kStripPanel, rows,
                                sums);
  const int a_count = part.a_end - a_begin < kTileRows ? part.a_end - a_begin : kTileRows;
  const int b_count = part.b_end - b_begin < kStripPanel ? part.b_end - b_begin : kStripPanel;
  for (int i = 0; i < a_count; ++i) {
    float* const dw = part.dw + (a_begin + i) * part.a_stride + b_begin * part.b_stride;
    if (part.b_stride == 1 && b_count == kStripPanel) {
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

template <int kVectors>
void sum_columns(const float* const* x, int rows, float* out, int c, bool add) {
  Vec sums[kVectors] = {};
  for (int r = 0; r < rows; ++r) {
    CAVS_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[v] += load(x[r] + c + v * kLanes);
  }
  for (int v = 0; v < kVectors; ++v) {
    float* const o = out + c + v * kLanes;
    store(o, add ? load(o) + sums[v] : sums[v]);
  }
}

inline void sum_block(const float* const* x, int rows, int begin, int end, float* out, bool add) {
  int c = begin;
  for (; c + 8 * kLanes <= end; c += 8 * kLanes) sum_columns<8>(x, rows, out, c, add);
  for (; c + kLanes <= end; c += kLanes) sum_columns<1>(x, rows, out, c, add);
  for (; c < end; ++c) {
    float sum = 0;
    for (int r = 0; r < rows; ++r) sum += x[r][c];
    out[c] = add ? out[c] + sum : sum;
  }
}

}  // namespace cavs::cpu::CAVS_ISA
