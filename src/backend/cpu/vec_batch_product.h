#pragma once

#include "backend/cpu/vec_gradient.h"
#include "backend/cpu/vec_product.h"
#include "backend/cpu/vec_product_wide.h"
#include "backend/cpu/vec_rows.h"
#include "backend/cpu/vec_transpose.h"

// Batched products: every row of an operand is a matrix, and the matrices of a row are multiplied in the register tiles
// of vec_product.h. The right matrix is first packed into slices, which costs about 1 / m of the product and avoids
// strides that are powers of two. If m or k is small, it is read in place.
namespace cavs::cpu::CAVS_ISA {

/// Calls f(left matrix, right matrix, result) for every row. If an operand is absent (index -1), the result is zero.
template <typename F>
void for_products(const RowArgs& args, std::int32_t begin, std::int32_t end, F f) {
  const RowReader x(args.in[0], nullptr), y(args.in[1], nullptr);
  for (std::int32_t r = begin; r < end; ++r) {
    float* const out = args.out.base + r * args.out.stride;
    const float *left = x[r], *right = y[r];
    if (left == nullptr || right == nullptr)
      __builtin_memset(out, 0, sizeof(float) * static_cast<unsigned>(args.out.width));
    else
      f(left, right, out);
  }
}

/// Returns the number of floats of a packed matrix [k, n].
inline std::size_t packed_size(int k, int n) {
  return static_cast<std::size_t>((n + kSlice - 1) / kSlice) * kSlice * static_cast<std::size_t>(k);
}

/// Packs y [k, n] into slices [k][kSlice], padded with zeros.
inline void pack_right(const float* y, int k, int n, float* slices) {
  const float* rows[kSumBlock];
  for (int p = 0; p < k; p += kSumBlock) {
    const int count = k - p < kSumBlock ? k - p : kSumBlock;
    for (int i = 0; i < count; ++i) rows[i] = y + std::int64_t{p + i} * n;
    for (int c = 0; c < n; c += kSlice)
      pack_columns<kSlice>(rows, count, c, n, slices + std::int64_t{c} * k + std::int64_t{p} * kSlice);
  }
}

/// Packs the transpose of y [n, k] into slices, as pack_right() does.
inline void pack_right_transposed(const float* y, int k, int n, float* slices) {
  for (int c = 0; c < n; c += kSlice) {
    const std::int64_t begin = std::int64_t{c} * k;
    const int columns = n - c < kSlice ? n - c : kSlice;
    if (columns < kSlice) __builtin_memset(slices + begin, 0, sizeof(float) * kSlice * static_cast<std::size_t>(k));
    transpose(y + begin, k, columns, k, slices + begin, kSlice);
  }
}

/// Computes out [m, n] (+= if add) = x [m, k] times packed slices.
inline void multiply_packed(const float* x, const float* slices, int m, int k, int n, float* out, bool add = false) {
  constexpr int kMaxSlices = 64;  // slices per call of `product`
  const float* rows[kRowBlock];
  SliceOut to[kMaxSlices];
  for (int r = 0; r < m; r += kRowBlock) {
    const int count = m - r < kRowBlock ? m - r : kRowBlock;
    for (int i = 0; i < count; ++i) rows[i] = x + std::int64_t{r + i} * k;
    for (int c = 0; c < n; c += kMaxSlices * kSlice) {
      int listed = 0;
      for (int d = c; d < n && listed < kMaxSlices; d += kSlice)
        to[listed++] = {out + std::int64_t{r} * n + d, n, n - d < kSlice ? n - d : kSlice, add};
      any_product({rows, count, k, slices + std::int64_t{c} * k, std::int64_t{k} * kSlice, to, listed});
    }
  }
}

/// A left matrix [m, k]. Element (i, p) is first[i * row_step + p * k_step], so the memory may be [m, k] or [k, m].
struct LeftMatrix {
  const float* first;
  int row_step, k_step;
};

/// Computes rows [0, kRows), columns [c, c + kVectors * kLanes) of out = x times y [k, n]. Skips columns beyond n.
template <int kRows, int kVectors>
void multiply_unpacked_tile(const LeftMatrix& x, const float* y, int k, int n, int c, float* out) {
  Vec acc[kRows][kVectors];
  each_vector<kRows, kVectors>([&](auto i, auto v) { acc[i][v] = Vec{}; });
  for (int p = 0; p < k; ++p) {
    const float* const from = y + std::int64_t{p} * n + c;
    const float* const left = x.first + std::int64_t{p} * x.k_step;
    Vec r[kVectors];
    each<kVectors>([&](auto v) { r[v] = kVectors == 1 ? load_at(from - c, c, n) : load(from + v * kLanes); });
    each<kRows>([&](auto i) {
      const Vec l = splat(left[std::int64_t{i} * x.row_step]);
      each<kVectors>([&](auto v) { acc[i][v] = fma(l, r[v], acc[i][v]); });
    });
  }
  each_vector<kRows, kVectors>(
      [&](auto i, auto v) { store_at(out + std::int64_t{i} * n, c + v * kLanes, n, acc[i][v]); });
}

template <int kVectors, int... i>
void multiply_unpacked_columns(const LeftMatrix& x, const float* y, int m, int k, int n, int c, float* out,
                               std::integer_sequence<int, i...>) {
  using Tile = void (*)(const LeftMatrix&, const float*, int, int, int, float*);
  static constexpr Tile kTiles[] = {multiply_unpacked_tile<i + 1, kVectors>...};
  for (int row = 0; row < m; row += kTileRows) {
    const int rows = m - row < kTileRows ? m - row : kTileRows;
    kTiles[rows - 1]({x.first + std::int64_t{row} * x.row_step, x.row_step, x.k_step}, y, k, n, c,
                     out + std::int64_t{row} * n);
  }
}

/// True if packing the right matrix would take longer than it saves.
inline bool is_better_unpacked(int m, int k) { return m <= 8 || k <= 2; }

/// Computes out [m, n] = x times y [k, n], where y is read in place.
inline void multiply_unpacked(const LeftMatrix& x, const float* y, int m, int k, int n, float* out) {
  constexpr auto kHeights = std::make_integer_sequence<int, kTileRows>();
  int c = 0;
  for (; c + 2 * kLanes <= n; c += 2 * kLanes) multiply_unpacked_columns<2>(x, y, m, k, n, c, out, kHeights);
  for (; c < n; c += kLanes) multiply_unpacked_columns<1>(x, y, m, k, n, c, out, kHeights);
}

/// Computes out [n] = x [k] times y [k, n]. y is not packed, because each of its elements is read only once.
inline void multiply_row(const float* x, const float* y, int k, int n, float* out) {
  constexpr int kVectors = 8;
  int c = 0;
  for (; c + kVectors * kLanes <= n; c += kVectors * kLanes) {
    Vec sums[kVectors];
    each<kVectors>([&](auto v) { sums[v] = Vec{}; });
    for (int p = 0; p < k; ++p) {
      const Vec l = splat(x[p]);
      const float* const row = y + std::int64_t{p} * n + c;
      each<kVectors>([&](auto v) { sums[v] = fma(l, load(row + v * kLanes), sums[v]); });
    }
    each<kVectors>([&](auto v) { store(out + c + v * kLanes, sums[v]); });
  }
  for (; c < n; c += kLanes) {
    Vec sum{};
    for (int p = 0; p < k; ++p) sum = fma(splat(x[p]), load_at(y + std::int64_t{p} * n, c, n), sum);
    store_at(out, c, n, sum);
  }
}

/// Computes out [kRows] = x [kRows, k] times the vector y [k].
template <int kRows>
void multiply_column(const float* x, const float* y, int k, float* out) {
  Vec sums[kRows];
  each<kRows>([&](auto i) { sums[i] = Vec{}; });
  for (int p = 0; p < k; p += kLanes) {
    const Vec r = load_at(y, p, k);
    each<kRows>([&](auto i) { sums[i] = fma(load_at(x + std::int64_t{i} * k, p, k), r, sums[i]); });
  }
  each<kRows>([&](auto i) { out[i] = sum_lanes(sums[i]); });
}

/// Multiplies the two matrices of each row. A right matrix that all rows share (a parameter) is packed once per call.
inline void batch_matmul(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int m = args.matrix_rows, k = args.in[0].width / m, n = args.out.width / m;
  if (m == 1)
    return for_products(args, begin, end,
                        [=](const float* x, const float* y, float* out) { multiply_row(x, y, k, n, out); });
  if (n == 1)
    return for_products(args, begin, end, [=](const float* x, const float* y, float* out) {
      int i = 0;
      for (; i + 4 <= m; i += 4) multiply_column<4>(x + std::int64_t{i} * k, y, k, out + i);
      for (; i < m; ++i) multiply_column<1>(x + std::int64_t{i} * k, y, k, out + i);
    });
  if (is_better_unpacked(m, k))
    return for_products(args, begin, end, [=](const float* x, const float* y, float* out) {
      multiply_unpacked({x, k, 1}, y, m, k, n, out);
    });
  float* const slices = scratch.floats(packed_size(k, n));
  const float* packed = nullptr;
  for_products(args, begin, end, [=, &packed](const float* x, const float* y, float* out) {
    if (y != packed) pack_right(y, k, n, slices);
    packed = y;
    multiply_packed(x, slices, m, k, n, out);
  });
}

/// Computes two products per row, in[0] in[1] and in[2] in[3], and adds the second to the first.
inline void batch_matmul_sum(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int m = args.matrix_rows, n = args.out.width / m;
  const int k[2] = {args.in[0].width / m, args.in[2].width / m};
  float* const slices = scratch.floats(packed_size(k[0], n) + packed_size(k[1], n));
  float* const packed[2] = {slices, slices + packed_size(k[0], n)};
  const float* of[2] = {};  // right matrices whose slices are in packed[0] and packed[1]
  for (std::int32_t r = begin; r < end; ++r) {
    float* const out = args.out.base + r * args.out.stride;
    bool add = false;
    for (int t = 0; t < 2; ++t) {
      const float *x = RowReader(args.in[2 * t], nullptr)[r], *y = RowReader(args.in[2 * t + 1], nullptr)[r];
      if (x == nullptr || y == nullptr) continue;
      if (y != of[t]) pack_right(y, k[t], n, packed[t]);
      of[t] = y;
      multiply_packed(x, packed[t], m, k[t], n, out, add);
      add = true;
    }
    if (!add) __builtin_memset(out, 0, sizeof(float) * static_cast<unsigned>(args.out.width));
  }
}

inline void batch_matmul_left(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int m = args.matrix_rows, k = args.in[0].width / m, n = args.out.width / m;
  if (is_better_unpacked(m, k))
    return for_products(args, begin, end, [=](const float* x, const float* y, float* out) {
      multiply_unpacked({x, 1, m}, y, m, k, n, out);
    });
  float* const slices = scratch.floats(packed_size(k, n) + static_cast<std::size_t>(args.in[0].width));
  float* const rows = slices + packed_size(k, n);
  for_products(args, begin, end, [=](const float* x, const float* y, float* out) {
    transpose(x, m, k, m, rows, k);
    pack_right(y, k, n, slices);
    multiply_packed(rows, slices, m, k, n, out);
  });
}

inline void batch_matmul_right(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int m = args.matrix_rows, k = args.in[0].width / m, n = args.out.width / m;
  float* const slices = scratch.floats(packed_size(k, n));
  const float* packed = nullptr;
  for_products(args, begin, end, [=, &packed](const float* x, const float* y, float* out) {
    if (y != packed) pack_right_transposed(y, k, n, slices);
    packed = y;
    multiply_packed(x, slices, m, k, n, out);
  });
}

}  // namespace cavs::cpu::CAVS_ISA
