#pragma once

// Products of bf16 on AMX tiles. The including source defines the instructions: CAVS_TILE_ZERO(tile),
// CAVS_TILE_LOAD(tile, address, bytes from row to row), CAVS_TILE_STORE with the same arguments, and
// CAVS_TILE_MULTIPLY(sums, left, right). Tile registers 0 to 3 hold results, 4 to 7 hold operands.

#include "backend/cpu/vec_bf16_operands.h"

namespace cavs::cpu::CAVS_ISA {

constexpr int kRowBytes = 64;
constexpr int kTileSums = kTileSide * kTileSide;

/// A compiler barrier. It is needed because intrinsics for tiles do not tell the compiler which memory they access.
inline __attribute__((always_inline)) void memory_changes() { asm volatile("" ::: "memory"); }

template <int kTile>
inline void store_tile(float* to, std::int64_t bytes) {
  if constexpr (kTile == 0) CAVS_TILE_STORE(0, to, bytes);
  if constexpr (kTile == 1) CAVS_TILE_STORE(1, to, bytes);
  if constexpr (kTile == 2) CAVS_TILE_STORE(2, to, bytes);
  if constexpr (kTile == 3) CAVS_TILE_STORE(3, to, bytes);
  memory_changes();
}

inline void zero_tiles() {
  CAVS_TILE_ZERO(0);
  CAVS_TILE_ZERO(1);
  CAVS_TILE_ZERO(2);
  CAVS_TILE_ZERO(3);
}

/// Writes tile register kTile to rows from `row` of a slice's destination, via `sums` if it is added or cut off there.
template <int kTile>
inline void leave(const Bf16Product& p, int slice, int row, float* sums) {
  const int rows = p.rows - row;
  if (rows <= 0) return;
  const SliceOut& out = p.out[slice];
  if (rows >= kTileSide && out.columns == kTileSide && !out.add)
    return store_tile<kTile>(out.y + row * out.stride, out.stride * static_cast<std::int64_t>(sizeof(float)));
  store_tile<kTile>(sums, kRowBytes);
  for (int i = 0; i < kTileSide && i < rows; ++i) write_sum(out, row + i, load(sums + i * kTileSide));
}

/// Results of a block of 2 x 2 tiles that have yet to be added to y. They are added in kParts parts, one after each
/// step of the next block, so that the processor's vector and tile units work at the same time.
struct Waiting {
  static constexpr int kParts = 8;  // a part is half of the rows of one tile
  const float* sums = nullptr;      // [row tile][column tile][kTileSums]; nullptr if nothing waits
  const SliceOut* out = nullptr;    // destinations of the two column tiles
  int row = 0, part = 0;            // first row of the block in y; next part to add

  void add_part() {
    const int row_tile = part / 4, half = part % 2 * (kTileSide / 2);
    const SliceOut& to = out[part / 2 % 2];
    const float* from = sums + part / 2 * kTileSums + half * kTileSide;
    float* y = to.y + (row + row_tile * kTileSide + half) * to.stride;
    each<kTileSide / 2>(
        [&](auto i) { store(y + i * to.stride, load(y + i * to.stride) + load(from + i * kTileSide)); });
    if (++part == kParts) sums = nullptr;
  }
  void finish() {
    while (sums != nullptr) add_part();
  }
};

/// Multiplies one or two tiles of the left operand by one or two slices. The results stay in tile registers 0 to 3, at
/// index 2 * row tile + column tile.
template <int kRowTiles, int kColumnTiles>
inline void multiply(const Bf16* left, const Bf16* right, std::int64_t slice_stride, int steps, Waiting& waiting) {
  zero_tiles();
  for (int s = 0; s < steps; ++s, left += kLeftStep, right += kTileNumbers) {
    CAVS_TILE_LOAD(4, left, kRowBytes);
    CAVS_TILE_LOAD(6, right, kRowBytes);
    CAVS_TILE_MULTIPLY(0, 4, 6);
    if constexpr (kColumnTiles == 2) {
      CAVS_TILE_LOAD(7, right + slice_stride, kRowBytes);
      CAVS_TILE_MULTIPLY(1, 4, 7);
    }
    if constexpr (kRowTiles == 2) {
      CAVS_TILE_LOAD(5, left + kTileNumbers, kRowBytes);
      CAVS_TILE_MULTIPLY(2, 5, 6);
      if constexpr (kColumnTiles == 2) CAVS_TILE_MULTIPLY(3, 5, 7);
    }
    if (waiting.sums != nullptr) waiting.add_part();
  }
  waiting.finish();
}

/// Multiplies a tile of the left operand by four slices, so that it is loaded once for four slices. The result of slice
/// i stays in tile register i.
inline void multiply_by_four(const Bf16* left, const Bf16* right, std::int64_t slice_stride, int steps) {
  zero_tiles();
  for (int s = 0; s < steps; ++s, left += kLeftStep, right += kTileNumbers) {
    CAVS_TILE_LOAD(4, left, kRowBytes);
    CAVS_TILE_LOAD(5, right, kRowBytes);
    CAVS_TILE_LOAD(6, right + slice_stride, kRowBytes);
    CAVS_TILE_LOAD(7, right + 2 * slice_stride, kRowBytes);
    CAVS_TILE_MULTIPLY(0, 4, 5);
    CAVS_TILE_MULTIPLY(1, 4, 6);
    CAVS_TILE_LOAD(5, right + 3 * slice_stride, kRowBytes);
    CAVS_TILE_MULTIPLY(2, 4, 7);
    CAVS_TILE_MULTIPLY(3, 4, 5);
  }
}

inline void product(const Bf16Product& p) {
  alignas(64) float sums[2][4 * kTileSums];  // results of the current and of the previous block, in turn
  Waiting waiting;
  int s = 0, buffer = 0;
  if (p.rows <= kTileSide)
    for (; s + 4 <= p.slice_count; s += 4) {
      multiply_by_four(p.left, p.slices + s * p.slice_stride, p.slice_stride, p.steps);
      leave<0>(p, s, 0, sums[0]);
      leave<1>(p, s + 1, 0, sums[0]);
      leave<2>(p, s + 2, 0, sums[0]);
      leave<3>(p, s + 3, 0, sums[0]);
    }
  for (; s < p.slice_count; s += 2) {
    const Bf16* const right = p.slices + s * p.slice_stride;
    const bool two = s + 1 < p.slice_count;
    const bool added =
        two && p.out[s].add && p.out[s + 1].add && p.out[s].columns == kTileSide && p.out[s + 1].columns == kTileSide;
    for (int r = 0; r < p.rows; r += 2 * kTileSide) {
      const Bf16* const left = p.left + left_tile(r, p.steps);
      float* const own = sums[buffer];
      if (p.rows - r <= kTileSide)
        two ? multiply<1, 2>(left, right, p.slice_stride, p.steps, waiting)
            : multiply<1, 1>(left, right, p.slice_stride, p.steps, waiting);
      else
        two ? multiply<2, 2>(left, right, p.slice_stride, p.steps, waiting)
            : multiply<2, 1>(left, right, p.slice_stride, p.steps, waiting);
      if (added && p.rows - r >= 2 * kTileSide) {
        store_tile<0>(own, kRowBytes);
        store_tile<1>(own + kTileSums, kRowBytes);
        store_tile<2>(own + 2 * kTileSums, kRowBytes);
        store_tile<3>(own + 3 * kTileSums, kRowBytes);
        waiting = {own, p.out + s, r, 0};
        buffer ^= 1;
        continue;
      }
      leave<0>(p, s, r, own);
      leave<2>(p, s, r + kTileSide, own);
      if (!two) continue;
      leave<1>(p, s + 1, r, own);
      leave<3>(p, s + 1, r + kTileSide, own);
    }
  }
  waiting.finish();
}

/// Runs `steps` multiplications of two tiles each, to measure the peak. Returns the floating-point operations done.
inline double multiply_adds(std::int64_t steps) {
  zero_tiles();
  std::int64_t done = 0;
  for (; done < steps; done += 4) {
    CAVS_TILE_MULTIPLY(0, 4, 6);
    CAVS_TILE_MULTIPLY(1, 4, 7);
    CAVS_TILE_MULTIPLY(2, 5, 6);
    CAVS_TILE_MULTIPLY(3, 5, 7);
    memory_changes();
  }
  return 2.0 * kTileSums * kTileDepth * static_cast<double>(done);
}

struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t bytes_per_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);
inline constexpr TileConfig kTileConfig{};

/// Returns the Bf16Isa of AMX. `begin` loads the tile configuration, and `end` releases the tiles.
constexpr Bf16Isa make_amx(const char* name, void (*begin)(), void (*end)()) {
  return {.name = name,
          .pair_distance = 1,
          .left_bytes = 2,
          .round_rows = round_rows<1>,
          .round_columns = round_columns<1>,
          .pair_rows = pair_rows<1>,
          .pair_columns = pair_columns<1>,
          .product = product,
          .multiply_adds = multiply_adds,
          .begin = begin,
          .end = end};
}

}  // namespace cavs::cpu::CAVS_ISA
