// The one source that uses AMX; called only where bf16_isa() found it. Always through a pointer: the intrinsics do not
// tell the compiler what memory they read, a call that it cannot see through does.

#include <immintrin.h>

#include "backend/cpu/bf16.h"

namespace cavs::cpu {
namespace {

struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t bytes_a_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

constexpr int kRowBytes = 64;

/// Tiles 0-3 are results, 4 and 5 of a, 6 and 7 of b.
template <int kRowTiles, int kColumnTiles>
void block_of(const Bf16Block& block) {
  const Bf16* a = block.a;
  const auto a_bytes = static_cast<std::size_t>(block.a_stride) * sizeof(Bf16);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int s = 0; s < block.steps; ++s, a += kTileDepth) {
    const std::int64_t b = std::int64_t{s} * kTileSide * kTileDepth;
    _tile_loadd(4, a, a_bytes);
    if constexpr (kRowTiles == 2) _tile_loadd(5, a + kTileSide * block.a_stride, a_bytes);
    _tile_loadd(6, block.b[0] + b, kRowBytes);
    if constexpr (kColumnTiles == 2) _tile_loadd(7, block.b[1] + b, kRowBytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kColumnTiles == 2) _tile_dpbf16ps(1, 4, 7);
    if constexpr (kRowTiles == 2) _tile_dpbf16ps(2, 5, 6);
    if constexpr (kRowTiles == 2 && kColumnTiles == 2) _tile_dpbf16ps(3, 5, 7);
  }
  constexpr int kTile = kTileSide * kTileSide;
  _tile_stored(0, block.c, kRowBytes);
  if constexpr (kColumnTiles == 2) _tile_stored(1, block.c + kTile, kRowBytes);
  if constexpr (kRowTiles == 2) _tile_stored(2, block.c + 2 * kTile, kRowBytes);
  if constexpr (kRowTiles == 2 && kColumnTiles == 2) _tile_stored(3, block.c + 3 * kTile, kRowBytes);
}

void amx_block(const Bf16Block& block) {
  static constexpr TileConfig kConfig{};
  _tile_loadconfig(&kConfig);
  if (block.row_tiles() == 2)
    block.column_tiles == 2 ? block_of<2, 2>(block) : block_of<2, 1>(block);
  else
    block.column_tiles == 2 ? block_of<1, 2>(block) : block_of<1, 1>(block);
  _tile_release();
}

}  // namespace

extern const Bf16Isa kAmxBf16;
const Bf16Isa kAmxBf16{"amx", amx_block};

}  // namespace cavs::cpu
