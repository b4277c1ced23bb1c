#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

// Products of matrices in register tiles (blocks of results that stay in registers while k advances). Each element of a
// result is one chain of multiply-adds over ascending k, which begins with zero, in one lane of one register. So its
// bits depend neither on the shape of the tile, nor on whether the sum is stored and loaded between parts of the chain.
namespace cavs::cpu::CAVS_ISA {

inline constexpr int kTileRows = 6;                    // most rows of a register tile
inline constexpr int kSliceVectors = kSlice / kLanes;  // vectors in a row of a slice

/// Returns the number of vectors per row of a register tile with `rows` rows: enough independent chains to hide the
/// latency of a multiply-add, and few enough to stay in registers.
constexpr int tile_vectors(int rows) {
  if (kManyRegisters) return 4;
  return rows == 1 ? 8 : rows <= 3 ? 4 : 2;
}
inline constexpr int kStripPanel = tile_vectors(kTileRows) * kLanes;

template <int kRows, int kVectors>
struct Accumulators {
  Vec v[kRows][kVectors];
};

/// Calls f(row, vector number in the row) for each vector of a tile.
template <int kRows, int kVectors, typename F>
inline __attribute__((always_inline)) void each_vector(F f) {
  each<kRows * kVectors>([&](auto k)
                             __attribute__((always_inline)) { f(Constant<k / kVectors>(), Constant<k % kVectors>()); });
}

/// Computes a register tile: adds left(row, p) * right(p, vector) to the sums, for p in [begin, end).
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

/// kVectors vectors of neighbouring columns of a product, and all its rows.
template <int kVectors>
struct ProductBlock {
  const float* const* x;      // [rows]
  const float* weight;        // address of the first column in its slice
  std::int64_t slice_stride;  // floats from slice to slice
  float* y[kVectors];         // destination of each vector, for row 0
  std::int64_t y_stride[kVectors];
  int lanes[kVectors];  // lanes of each vector that are columns of the result; the others are padding
  bool add[kVectors];   // true for a vector that is added to y
  bool full = true, adds = false, adds_all = true;  // no vector has padding; some vectors are added to y; all are

  ProductBlock(const ProductArgs& args, int column)
      : x(args.x),
        weight(args.slices + column / kSlice * args.slice_stride + column % kSlice),
        slice_stride(args.slice_stride) {
    for (int v = 0; v < kVectors; ++v, column += kLanes) {
      const SliceOut& out = args.out[column / kSlice];
      const int left = out.columns - column % kSlice;
      y[v] = out.y + column % kSlice;
      y_stride[v] = out.stride;
      add[v] = out.add;
      lanes[v] = left < 0 ? 0 : left < kLanes ? left : kLanes;
      full = full && lanes[v] == kLanes;
      adds = adds || add[v];
      adds_all = adds_all && add[v];
    }
  }
};

/// Loads the sums of the tile that begins with `row` from y.
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

/// Writes the finished sums of a tile to y, or adds them to y. `row` is the first row of the tile.
template <int kRows, int kVectors>
inline __attribute__((always_inline)) void finish_tile(const ProductBlock<kVectors>& block, int row,
                                                       const Vec (&acc)[kRows][kVectors]) {
  if (block.full && !block.adds)
    return each_vector<kRows, kVectors>(
        [&](auto i, auto v) { store(block.y[v] + (row + i) * block.y_stride[v], acc[i][v]); });
  if (block.full && block.adds_all)
    return each_vector<kRows, kVectors>([&](auto i, auto v) {
      float* const y = block.y[v] + (row + i) * block.y_stride[v];
      store(y, load(y) + acc[i][v]);
    });
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

/// Computes the tile of rows [row, row + kRows) over k in [begin, end). If begin > 0, continues the sums in y.
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
  finish_tile<kRows, kVectors>(block, row, acc);
}

/// Computes kVectors vectors of columns of all rows. k is divided into parts, and all rows are multiplied by one part
/// of the weight before the next, so that the part stays in the first cache. The rows are divided into `tiles` register
/// tiles of nearly equal height, at most kRows.
template <int kRows, int kVectors>
void product_block(const ProductArgs& args, int column, int tiles) {
  constexpr int kStep = kVectors * kLanes * static_cast<int>(sizeof(float));
  const ProductBlock<kVectors> block(args, column);
  const int some = static_cast<int>(args.block / kStep);
  const int depth = tiles == 1 || block.adds || some == 0 ? args.k : some;  // a sum that is added to y needs all of k
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

}  // namespace cavs::cpu::CAVS_ISA
