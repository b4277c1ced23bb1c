#pragma once

// The tiles of a product's result. Host and device share this file.

#include "backend/cuda/device/operation.h"

namespace cavs::cuda {

/// All sizes give the same bits.
enum TileSize {
  kSmallTile,   // few rows; four groups of warps share the depth, which shortens each thread's work
  kMediumTile,  // 64 rows
  kLargeTile,   // 128 rows and columns, for large results
  kTileSizes
};

constexpr i32 kTileWarps = 8, kTileThreads = 32 * kTileWarps;
/// Most gates of a product that leads a group. Each thread has all gates of its units.
constexpr i32 kMostGates = 8;
/// Depth of a stage in shared memory, and largest depth of a chain of sums, which is a multiple of it.
constexpr i32 kTileDepth = 32, kMostChain = 256;
/// Threads across a tile. Each has neighbouring rows; its units are this far apart.
constexpr i32 kThreadsAcross = 16;

/// Number of groups of warps that share the depth: two in bf16 (`halves`), since 16 numbers are multiplied together.
constexpr i32 chains_of(i32 size, bool halves) { return size != kSmallTile ? 1 : halves ? 2 : 4; }
constexpr i32 rows_of_thread(i32 size) { return size == kLargeTile ? 8 : 4; }
constexpr i32 tile_rows(i32 size, bool halves) {
  return kTileThreads / kThreadsAcross / chains_of(size, halves) * rows_of_thread(size);
}
/// Units per thread. With one gate, as many columns as rows; with several gates, at least one of each.
constexpr i32 units_of_thread(i32 size, i32 gates) {
  return size == kLargeTile ? 8 : gates == 1 ? 4 : gates == 2 ? 2 : 1;
}
constexpr i32 tile_units(i32 size, i32 gates) { return kThreadsAcross * units_of_thread(size, gates); }
/// Number of stages that are in flight or being multiplied.
constexpr i32 tile_stages(i32 size) { return size == kLargeTile ? 2 : 3; }

/// Words of this many numbers of a factor in shared memory.
constexpr i32 in_words(i32 numbers, bool halves) { return halves ? numbers / 2 : numbers; }
/// Words from line to line of a stage, with 16 or 32 bytes of padding against bank conflicts.
constexpr i32 along_pitch(bool halves) { return in_words(kTileDepth, halves) + 4; }
constexpr i32 across_pitch(i32 outers, bool halves) { return in_words(outers + 8, halves); }
/// Words of one side of a stage, with lines along the depth (`along`) or one line per number of the depth.
constexpr i32 side_words(i32 outers, bool along, bool halves) {
  return along ? outers * along_pitch(halves) : kTileDepth * across_pitch(outers, halves);
}
constexpr i32 stage_words(i32 size, bool halves, i32 gates, bool left_along, bool right_along) {
  return side_words(tile_rows(size, halves), left_along, halves) +
         side_words(gates * tile_units(size, gates), right_along, halves);
}
/// Words for the sums of the groups of warps.
constexpr i32 part_words(i32 size, bool halves, i32 gates) {
  const i32 chains = chains_of(size, halves);
  return chains == 1 ? 0 : chains * tile_rows(size, halves) * gates * tile_units(size, gates);
}
/// Words of a kernel's dynamic shared memory.
constexpr i32 tile_words(i32 size, bool halves, i32 gates, bool left_along, bool right_along) {
  return tile_stages(size) * stage_words(size, halves, gates, left_along, right_along) +
         part_words(size, halves, gates);
}

}  // namespace cavs::cuda
