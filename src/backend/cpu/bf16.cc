#include "backend/cpu/bf16.h"

#include <algorithm>

#include "backend/cpu/isa.h"
#include "backend/cpu/rows_of.h"
#include "support/split_range.h"

namespace cavs::cpu {
namespace {

constexpr int kTileSize = kTileSide * kTileSide;

int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

/// Memory for `numbers` of bf16, after floats.
Bf16* numbers(float* from) { return reinterpret_cast<Bf16*>(from); }
std::size_t floats_for(std::int64_t numbers) { return static_cast<std::size_t>((numbers + 1) / 2); }

void round_row(const float* x, int k, int padded, Bf16* out) {
  for (int p = 0; p < k; ++p) out[p] = to_bf16(x[p]);
  std::fill(out + k, out + padded, Bf16{0});
}

/// Columns [begin, end) of rows, each column as a row of `depth` numbers; zeros from `count` on, and for the columns
/// that fill the last tile.
void transpose(const float* const* rows, int count, int depth, int begin, int end, Bf16* out) {
  std::fill_n(out, std::int64_t{round_up(end - begin, kTileSide)} * depth, Bf16{0});
  for (int r = 0; r < count; ++r)
    for (int c = begin; c < end; ++c) out[std::int64_t{c - begin} * depth + r] = to_bf16(rows[r][c]);
}

/// Columns [begin, end) of rows as tiles of columns: [rows / 2, 16, 2] each.
void pair_rows(const float* const* rows, int count, int depth, int begin, int end, Bf16* out) {
  std::fill_n(out, std::int64_t{round_up(end - begin, kTileSide)} * depth, Bf16{0});
  for (int r = 0; r < count; ++r)
    for (int c = begin; c < end; ++c) {
      Bf16* const tile = out + std::int64_t{(c - begin) / kTileSide} * kTileSide * depth;
      tile[(r / 2 * kTileSide + (c - begin) % kTileSide) * 2 + r % 2] = to_bf16(rows[r][c]);
    }
}

/// Sets or adds the part of a tile that exists.
void write_tile(const float* c, int rows, int columns, bool add, float* y, std::int64_t stride) {
  for (int i = 0; i < rows; ++i, c += kTileSide, y += stride)
    for (int j = 0; j < columns; ++j) y[j] = add ? y[j] + c[j] : c[j];
}

}  // namespace

void matmul(const Bf16Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch) {
  const int k = w.k(), padded = round_up(k, kTileDepth);
  float* const c = scratch.floats(4 * kTileSize + floats_for(std::int64_t{kRowBlock} * padded));
  Bf16* const a = numbers(c + 4 * kTileSize);
  const float* rows[kRowBlock];
  const int end = w.slices_of(unit_end);
  for (std::int32_t r = row_begin; r < row_end; r += kRowBlock) {
    const int count = std::min(row_end - r, kRowBlock);
    rows_of(x, r, count, nullptr, rows);
    for (int i = 0; i < round_up(count, kTileSide); ++i)
      if (i < count && rows[i] != nullptr)
        round_row(rows[i], k, padded, a + std::int64_t{i} * padded);
      else
        std::fill_n(a + std::int64_t{i} * padded, padded, Bf16{0});
    for (int s = w.slices_of(unit_begin); s < end; s += 2)
      for (int t = 0; t < count; t += 2 * kTileSide) {
        Bf16Block block{
            a + std::int64_t{t} * padded, padded, {}, std::min(count - t, 2 * kTileSide), std::min(end - s, 2),
            padded / kTileDepth,          c};
        for (int j = 0; j < block.column_tiles; ++j) block.b[j] = reinterpret_cast<const Bf16*>(w.slice_data(s + j));
        isa.block(block);
        for (int j = 0; j < block.column_tiles; ++j) {
          const auto [part, column, columns] = w.slice(s + j);
          const ProductOut& out = y[static_cast<std::size_t>(part)];
          for (int i = 0; i < block.row_tiles(); ++i)
            write_tile(c + (2 * i + j) * kTileSize, std::min(count - t - i * kTileSide, kTileSide), columns, out.add,
                       out.rows.base + (r + t + i * kTileSide) * out.rows.stride + column, out.rows.stride);
        }
      }
  }
}

void matmul_tn(const Bf16Isa& isa, const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw,
               bool accumulate, int worker, int workers, Scratch& scratch) {
  const int n = dy.width;
  const bool by_columns = n >= kTileSide * workers;
  const Range<int> ks = by_columns ? Range<int>{0, x.width} : split_range(0, x.width, worker, workers, kTileSide);
  const Range<int> ns = by_columns ? split_range(0, n, worker, workers, kTileSide) : Range<int>{0, n};
  const int height = ks.end - ks.begin, width = ns.end - ns.begin;
  if (height <= 0 || width <= 0) return;
  if (rows == 0 && !accumulate)
    for (int i = ks.begin; i < ks.end; ++i) std::fill_n(dw + std::int64_t{i} * n + ns.begin, width, 0.0F);
  const std::size_t left = floats_for(std::int64_t{round_up(height, kTileSide)} * kSumBlock);
  const std::size_t right = floats_for(std::int64_t{round_up(width, kTileSide)} * kSumBlock);
  const int widest = std::max(x.width, n);
  float* const c = scratch.floats(4 * kTileSize + left + right + static_cast<std::size_t>(widest));
  Bf16 *const a = numbers(c + 4 * kTileSize), *const b = numbers(c + 4 * kTileSize + left);
  float* const zeros = c + 4 * kTileSize + left + right;
  std::fill_n(zeros, widest, 0.0F);
  const float *x_rows[kSumBlock], *dy_rows[kSumBlock];
  for (std::int32_t r = 0; r < rows; r += kSumBlock) {
    const int count = std::min(rows - r, kSumBlock), depth = round_up(count, kTileDepth);
    rows_of(x, r, count, zeros, x_rows);
    rows_of(dy, r, count, zeros, dy_rows);
    transpose(x_rows, count, depth, ks.begin, ks.end, a);
    pair_rows(dy_rows, count, depth, ns.begin, ns.end, b);
    for (int j = 0; j < width; j += 2 * kTileSide)
      for (int i = 0; i < height; i += 2 * kTileSide) {
        const Bf16* const tile = b + std::int64_t{j} * depth;
        const Bf16Block block{a + std::int64_t{i} * depth,
                              depth,
                              {tile, tile + kTileSide * depth},
                              std::min(height - i, 2 * kTileSide),
                              width - j > kTileSide ? 2 : 1,
                              depth / kTileDepth,
                              c};
        isa.block(block);
        for (int t = 0; t < block.row_tiles() * 2; ++t) {
          const int row = i + t / 2 * kTileSide, column = j + t % 2 * kTileSide;
          if (t % 2 < block.column_tiles)
            write_tile(c + t * kTileSize, std::min(height - row, kTileSide), std::min(width - column, kTileSide),
                       accumulate || r > 0, dw + std::int64_t{ks.begin + row} * n + ns.begin + column, n);
        }
      }
  }
}

}  // namespace cavs::cpu
