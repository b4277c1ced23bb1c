#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

// Products. Each element of a result is one chain of multiply-adds over ascending k from zero, in one lane of one
// register, so its bits do not depend on the shape of the register tile that it is computed in, nor on where the chain
// goes through memory.
namespace cavs::cpu::CAVS_ISA {

inline constexpr int kTileRows = 6;
inline constexpr int kSliceVectors = kSlice / kLanes;

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

/// Calls f(row, vector) for each vector of a tile.
template <int kRows, int kVectors, typename F>
inline __attribute__((always_inline)) void each_vector(F f) {
  each<kRows * kVectors>([&](auto k)
                             __attribute__((always_inline)) { f(Constant<k / kVectors>(), Constant<k % kVectors>()); });
}

/// The register tile: adds left(row, p) * right(p, vector) over p in [begin, end) to the sums.
template <int kRows, int kVectors, typename Left, typename Right>
inline __attribute__((always_inline)) void multiply(Left left, Right right, int begin, int end,
                                                    Vec (&acc)[kRows][kVectors]) {
  for (int p = begin; p < end; ++p) {
    Vec r[kVectors];
    each<kVectors>([&](auto v) __attribute__((always_inline)) { r[v] = load(right(p, v)); });
    each<kRows>([&](auto i) __attribute__((always_inline)) {
      const Vec l = splat(left(i, p));
      each<kVectors>([&](auto v) __attribute__((always_inline)) { acc[i][v] = fma(l, r[v], acc[i][v]); });
    });
  }
}

/// Some rows times the columns of kVectors vectors, which begin in one slice.
template <int kVectors>
struct ProductBlock {
  const float* const* x;
  const float* weight;  // the first column
  std::int64_t slice_stride;
  float* y[kVectors];  // where a vector of row 0 goes
  std::int64_t y_stride[kVectors];
  int lanes[kVectors];  // of the vector that exist
  bool add[kVectors];
  bool full = true, adds = false;  // all lanes exist; some vectors are added

  ProductBlock(const ProductArgs& args, int column)
      : x(args.x),
        weight(args.slices + column / kSlice * args.slice_stride + column % kSlice),
        slice_stride(args.slice_stride) {
    for (int v = 0; v < kVectors; ++v, column += kLanes) {
      const SliceOut& out = args.out[column / kSlice];
      const int left = out.columns - column % kSlice;
      y[v] = out.y + column % kSlice, y_stride[v] = out.stride, add[v] = out.add;
      lanes[v] = left < 0 ? 0 : left < kLanes ? left : kLanes;
      full = full && lanes[v] == kLanes, adds = adds || add[v];
    }
  }
};

/// What y holds of a tile.
template <int kRows, int kVectors>
void load_sums(const ProductBlock<kVectors>& block, int row, Accumulators<kRows, kVectors>& sums) {
  for (int v = 0; v < kVectors; ++v) {
    const float* y = block.y[v] + row * block.y_stride[v];
    for (int i = 0; i < kRows; ++i, y += block.y_stride[v])
      sums.v[i][v] = block.full ? load(y) : load_part(y, block.lanes[v]);
  }
}

template <int kRows, int kVectors>
void store_sums(const ProductBlock<kVectors>& block, int row, const Accumulators<kRows, kVectors>& sums) {
  for (int v = 0; v < kVectors; ++v) {
    float* y = block.y[v] + row * block.y_stride[v];
    for (int i = 0; i < kRows; ++i, y += block.y_stride[v])
      if (block.full)
        store(y, sums.v[i][v]);
      else
        store_part(y, block.lanes[v], sums.v[i][v]);
  }
}

/// Rows [row, row + kRows) of a block, over [begin, end) of k.
template <int kRows, int kVectors>
void product_tile(const ProductBlock<kVectors>& block, int row, int begin, int end) {
  const float* rows[kRows];
  for (int i = 0; i < kRows; ++i) rows[i] = block.x[row + i];
  Vec acc[kRows][kVectors];
  if (begin == 0) {
    each_vector<kRows, kVectors>([&](auto i, auto v) { acc[i][v] = Vec{}; });
  } else {
    Accumulators<kRows, kVectors> sums;
    load_sums(block, row, sums);
    each_vector<kRows, kVectors>([&](auto i, auto v) { acc[i][v] = sums.v[i][v]; });
  }
  const float* slices[kVectors];
  for (int v = 0; v < kVectors; ++v)
    slices[v] = block.weight + v / kSliceVectors * block.slice_stride + v % kSliceVectors * kLanes;
  multiply<kRows, kVectors>([&rows](int i, int p) { return rows[i][p]; },
                            [&slices](int p, int v) { return slices[v] + std::int64_t{p} * kSlice; }, begin, end, acc);
  if (block.full && !block.adds)
    return each_vector<kRows, kVectors>(
        [&](auto i, auto v) { store(block.y[v] + (row + i) * block.y_stride[v], acc[i][v]); });
  Accumulators<kRows, kVectors> sums;
  each_vector<kRows, kVectors>([&](auto i, auto v) { sums.v[i][v] = acc[i][v]; });
  if (block.adds) {
    Accumulators<kRows, kVectors> before;
    load_sums(block, row, before);
    for (int v = 0; v < kVectors; ++v)
      for (int i = 0; block.add[v] && i < kRows; ++i) sums.v[i][v] = before.v[i][v] + sums.v[i][v];
  }
  store_sums(block, row, sums);
}

/// All rows by a part of k after the other, so that the weight's part stays in the first cache. `tiles` register tiles
/// of nearly equal height, at most kRows.
template <int kRows, int kVectors>
void product_block(const ProductArgs& args, int column, int tiles) {
  constexpr int kDepth = 16384 / (kVectors * kLanes * static_cast<int>(sizeof(float)));
  const ProductBlock<kVectors> block(args, column);
  const int depth = tiles == 1 || block.adds ? args.k : kDepth;  // a sum is finished before it is added
  for (int begin = 0; begin == 0 || begin < args.k; begin += depth) {
    const int end = args.k - begin < depth ? args.k : begin + depth;
    for (int t = 0, row = 0; t < tiles; ++t) {
      const int rows = (args.rows - row + tiles - t - 1) / (tiles - t);
      if (rows == kRows)
        product_tile<kRows, kVectors>(block, row, begin, end);
      else if constexpr (kRows > 1)
        product_tile<kRows - 1, kVectors>(block, row, begin, end);
      row += rows;
    }
  }
}

template <int kRows>
void product_blocks(const ProductArgs& args, int tiles) {
  constexpr int kVectors = tile_vectors(kRows);
  const int columns = args.slice_count * kSlice;
  int c = 0;
  for (; c + kVectors * kLanes <= columns; c += kVectors * kLanes) product_block<kRows, kVectors>(args, c, tiles);
  if constexpr (kVectors > kSliceVectors)
    for (; c < columns; c += kSlice) product_block<kRows, kSliceVectors>(args, c, tiles);
}

inline void product(const ProductArgs& args) {
  using Kernel = void (*)(const ProductArgs&, int);
  static constexpr Kernel kKernels[kTileRows + 1] = {
      nullptr,           product_blocks<1>, product_blocks<2>, product_blocks<3>,
      product_blocks<4>, product_blocks<5>, product_blocks<6>,
  };
  const int tiles = (args.rows + kTileRows - 1) / kTileRows;
  if (tiles > 0) kKernels[(args.rows + tiles - 1) / tiles](args, tiles);
}

/// The first `columns` <= kVectors * kLanes lanes of a row of accumulators.
template <int kVectors>
void store_row(const Vec* row, float* y, int columns) {
  int v = 0;
  for (; v < kVectors && columns >= kLanes; ++v, y += kLanes, columns -= kLanes) store(y, row[v]);
  if (v < kVectors && columns > 0) store_part(y, columns, row[v]);
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

/// See Isa::gradient_square.
inline void gradient_square(const float* const* a, int a_begin, const float* const* b, int b_begin, int rows, bool add,
                            float* dw) {
  constexpr int kRows = kManyRegisters ? 16 / kSliceVectors : 8 / kSliceVectors;
  for (int row = 0; row < kSlice; row += kRows, dw += kRows * kSlice) {
    Vec acc[kRows][kSliceVectors];
    each_vector<kRows, kSliceVectors>([&](auto i, auto v) { acc[i][v] = Vec{}; });
    multiply<kRows, kSliceVectors>([=](int i, int p) { return a[p][a_begin + row + i]; },
                                   [=](int p, int v) { return b[p] + b_begin + v * kLanes; }, 0, rows, acc);
    const auto place = [dw](auto i, auto v) { return dw + i * kSlice + v * kLanes; };
    if (add)
      each_vector<kRows, kSliceVectors>([&](auto i, auto v) { store(place(i, v), load(place(i, v)) + acc[i][v]); });
    else
      each_vector<kRows, kSliceVectors>([&](auto i, auto v) { store(place(i, v), acc[i][v]); });
  }
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
