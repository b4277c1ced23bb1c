#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"
#include "backend/cpu/vec_product.h"

// Products for 32 registers of 16 lanes, in two ways. Near products are for weights in the second cache, or in a third
// cache that is fast enough: register tiles of 8 x 32 read x in place, over all of k. Far products are for other
// weights: x is copied, and tiles of 14 x 32 cover a part of k. While all rows are multiplied by one part of the
// weight, the next part is prefetched. Sums are stored between parts.
namespace cavs::cpu::CAVS_ISA {

inline constexpr int kNearRows = 8, kFarRows = 14;  // most rows of a tile of a near or far product
inline constexpr int kAheadSteps = 16;  // k by which the first tile's prefetches of the weight are ahead of its reads
inline constexpr int kCopyStride = kFarDepth + kLanes;  // floats from row to row in the copy of x; no page multiple

/// The weights that a tile prefetches per step of k: none, a share of the lines, or one line of each slice.
enum class Ahead : std::uint8_t { kNone, kShare, kAll };

/// The operands of a tile (except the weight that it multiplies by), and the weights that it prefetches.
struct WidePart {
  const float* const* rows;  // [rows of the product]: addresses of the rows of x; nullptr if `copy` is used
  const float* copy;         // [rows of the tile][kCopyStride]: a copy of part of x; nullptr if `rows` is used
  int begin, end;            // range of k
  const char* next;          // address of the first weight to prefetch
  std::int64_t next_step;    // for Ahead::kShare: bytes by which the prefetched address advances per step of k
  float* sums;               // [rows of the tile][kVectors * kLanes]: sums between parts of k
  bool first, last;          // true for the first part of k (sums begin with 0), and for the last (results go to y)
};

template <int kRows, int kVectors, Ahead kAhead, bool kCopied>
void wide_tile(const ProductBlock<kVectors>& block, int row, const WidePart& part) {
  const float* rows[kRows];
  if constexpr (!kCopied)
    for (int i = 0; i < kRows; ++i) rows[i] = part.rows[row + i];
  const float* const copy = part.copy;
  float* const sums = part.sums;
  Vec acc[kRows][kVectors];
  if (part.first)
    each_vector<kRows, kVectors>([&](auto i, auto v) { acc[i][v] = Vec{}; });
  else
    each_vector<kRows, kVectors>([&](auto i, auto v) { acc[i][v] = load(sums + (i * kVectors + v) * kLanes); });
  const float* weight = block.weight + std::int64_t{part.begin} * kSlice;
  const std::int64_t stride = block.slice_stride;
  const char* next = part.next;
  const int steps = part.end - part.begin;
  const std::int64_t next_step = kAhead == Ahead::kAll ? kSlice * sizeof(float) : part.next_step;
  for (std::int64_t p = 0; p < steps; ++p, weight += kSlice) {
    Vec r[kVectors];
    each<kVectors>([&](auto v) __attribute__((always_inline)) { r[v] = load(weight + v * stride); });
    if constexpr (kAhead == Ahead::kShare) __builtin_prefetch(next);
    if constexpr (kAhead == Ahead::kAll)
      each<kVectors>([&](auto v) __attribute__((always_inline)) { __builtin_prefetch(next + v * stride * 4); });
    if constexpr (kAhead != Ahead::kNone) next += next_step;
    each<kRows>([&](auto i) __attribute__((always_inline)) {
      const Vec l = splat(kCopied ? copy[i * kCopyStride + p] : rows[i][p]);
      each<kVectors>([&](auto v) __attribute__((always_inline)) { acc[i][v] = fma(l, r[v], acc[i][v]); });
    });
  }
  if (!part.last)
    return each_vector<kRows, kVectors>([&](auto i, auto v) { store(sums + (i * kVectors + v) * kLanes, acc[i][v]); });
  finish_tile<kRows, kVectors>(block, row, acc);
}

template <int kVectors>
using WideTileKernel = void (*)(const ProductBlock<kVectors>&, int, const WidePart&);
template <int kVectors, Ahead kAhead, bool kCopied, int... i>
WideTileKernel<kVectors> wide_tile_of(int rows, std::integer_sequence<int, i...>) {
  static constexpr WideTileKernel<kVectors> kTiles[] = {wide_tile<i + 1, kVectors, kAhead, kCopied>...};
  return kTiles[rows - 1];
}

/// Divides rows into `tiles` tiles of nearly equal height, and calls f(number of the tile, first row, height) for each.
template <typename F>
void each_tile(int rows, int tiles, F f) {
  for (int t = 0, row = 0; t < tiles; ++t) {
    const int height = (rows - row + tiles - t - 1) / (tiles - t);
    f(t, row, height);
    row += height;
  }
}

/// Computes the columns of kVectors slices of a near product, in tiles of at most kMost rows.
template <int kVectors, int kMost>
void near_panel(const ProductArgs& args, int column) {
  const ProductBlock<kVectors> block(args, column);
  constexpr auto kHeights = std::make_integer_sequence<int, kMost>();
  const int tiles = (args.rows + kMost - 1) / kMost;
  WidePart part{args.x, nullptr, 0,    args.k, reinterpret_cast<const char*>(block.weight + kAheadSteps * kSlice),
                0,      nullptr, true, true};
  each_tile(args.rows, tiles, [&](int t, int row, int height) {
    (t == 0 ? wide_tile_of<kVectors, Ahead::kAll, false>(height, kHeights)
            : wide_tile_of<kVectors, Ahead::kNone, false>(height, kHeights))(block, row, part);
  });
}

inline void near_product(const ProductArgs& args) {
  const int columns = args.slice_count * kSlice;
  int c = 0;
  if (args.rows <= 6)
    for (; c + 4 * kLanes <= columns; c += 4 * kLanes) near_panel<4, 6>(args, c);
  for (; c + 2 * kLanes <= columns; c += 2 * kLanes) near_panel<2, kNearRows>(args, c);
  for (; c < columns; c += kLanes) near_panel<1, kNearRows>(args, c);
}

/// Copies x to `to`, [part of k][row][kCopyStride].
inline void copy_rows_of(const ProductArgs& args, float* to) {
  const int depth = far_depth(args.block);
  for (int begin = 0; begin < args.k; begin += depth) {
    const int count = args.k - begin < depth ? args.k - begin : depth;
    for (int r = 0; r < args.rows; ++r, to += kCopyStride) {
      const float* const from = args.x[r] + begin;
      int c = 0;
      for (; c + kLanes <= count; c += kLanes) store(to + c, load(from + c));
      for (; c < count; ++c) to[c] = from[c];
    }
  }
}

/// Computes the columns of kVectors slices of a far product. `is_last` is true if no slices follow to be prefetched.
template <int kVectors>
void far_panel(const ProductArgs& args, int column, bool is_last) {
  const ProductBlock<kVectors> block(args, column);
  constexpr auto kHeights = std::make_integer_sequence<int, kFarRows>();
  const int depth = far_depth(args.block);
  const int tiles = (args.rows + kFarRows - 1) / kFarRows, parts = (args.k + depth - 1) / depth;
  const int sharing = tiles >= 4 ? 4 : tiles >= 2 ? 2 : 1, of_slice = sharing < kVectors ? 1 : sharing / kVectors;
  float* const sums = args.space + std::int64_t{parts} * args.rows * kCopyStride;
  constexpr std::int64_t kLine = kSlice * sizeof(float);
  for (int begin = 0, n = 0; begin < args.k; begin += depth, ++n) {
    const int end = args.k - begin < depth ? args.k : begin + depth;
    const bool last = end == args.k;
    const float* const next = block.weight + (last ? kVectors * block.slice_stride : std::int64_t{end} * kSlice);
    each_tile(args.rows, tiles, [&](int t, int row, int height) {
      WidePart part{nullptr,
                    args.space + (std::int64_t{n} * args.rows + row) * kCopyStride,
                    begin,
                    end,
                    reinterpret_cast<const char*>(next),
                    kLine / of_slice,
                    sums + std::int64_t{row} * kVectors * kLanes,
                    begin == 0,
                    last};
      const int nth = t - (tiles - sharing);
      if ((last && is_last) || nth < 0)
        return wide_tile_of<kVectors, Ahead::kNone, true>(height, kHeights)(block, row, part);
      if (sharing < kVectors) return wide_tile_of<kVectors, Ahead::kAll, true>(height, kHeights)(block, row, part);
      part.next += nth % kVectors * block.slice_stride * 4 + nth / kVectors * depth * kLine / of_slice;
      wide_tile_of<kVectors, Ahead::kShare, true>(height, kHeights)(block, row, part);
    });
  }
}

inline void far_product(const ProductArgs& args) {
  const int columns = args.slice_count * kSlice;
  copy_rows_of(args, args.space);
  int c = 0;
  for (; c + 2 * kLanes <= columns; c += 2 * kLanes) far_panel<2>(args, c, c + 2 * kLanes == columns);
  for (; c < columns; c += kLanes) far_panel<1>(args, c, true);
}

inline void wide_product(const ProductArgs& args) {
  if (args.rows == 0) return;
  if (args.far && args.rows > kNearRows)
    far_product(args);
  else
    near_product(args);
}

/// The `product` of this instruction set.
inline void any_product(const ProductArgs& args) {
  if constexpr (kWide)
    wide_product(args);
  else
    product(args);
}

}  // namespace cavs::cpu::CAVS_ISA
