#pragma once

// The tiles (blocks) of a product's result. Host and device share this file.

#include "backend/cuda/device/operation.h"

namespace cavs::cuda {

/// Sizes of tiles. All give bit-identical results.
enum TileSize {
  kSmallTile,   // few rows; four groups of warps divide the depth, so that each thread has less work
  kMediumTile,  // 64 rows
  kLargeTile,   // 128 rows and columns, for large results
  kTileSizes
};

constexpr i32 kTileWarps = 8, kTileThreads = 32 * kTileWarps;
/// Largest number of gates of a product that begins a group. A thread computes all gates of its units.
constexpr i32 kMostGates = 8;
/// kTileDepth: number of k in a stage (the part of the factors that is in shared memory). kMostChain: largest number of
/// k in a chain of sums, which has a multiple of kTileDepth.
constexpr i32 kTileDepth = 32, kMostChain = 256;
/// Threads side by side in a tile. A thread has neighbouring rows, and every kThreadsAcross-th unit.
constexpr i32 kThreadsAcross = 16;

/// Returns the number of groups of warps that divide the depth. Two in bf16 (`halves`): 16 k are multiplied together.
constexpr i32 chains_of(i32 size, bool halves) { return size != kSmallTile ? 1 : halves ? 2 : 4; }
constexpr i32 rows_of_thread(i32 size) { return size == kLargeTile ? 8 : 4; }
constexpr i32 tile_rows(i32 size, bool halves) {
  return kTileThreads / kThreadsAcross / chains_of(size, halves) * rows_of_thread(size);
}
/// Returns how many units a thread computes, each for all gates.
constexpr i32 units_of_thread(i32 size, i32 gates) {
  return size == kLargeTile ? 8 : gates == 1 ? 4 : gates == 2 ? 2 : 1;
}
constexpr i32 tile_units(i32 size, i32 gates) { return kThreadsAcross * units_of_thread(size, gates); }
/// Returns the number of stages in shared memory: one is multiplied while the others are copied.
constexpr i32 tile_stages(i32 size) { return size == kLargeTile ? 2 : 3; }

/// Returns how many words this many numbers of a factor occupy in shared memory.
constexpr i32 in_words(i32 numbers, bool halves) { return halves ? numbers / 2 : numbers; }
/// Words from a line to the next, with 16 or 32 bytes of padding against bank conflicts: for lines of consecutive k of
/// one row or unit, and for lines of all rows or units (`outers`) for one k.
constexpr i32 along_pitch(bool halves) { return in_words(kTileDepth, halves) + 4; }
constexpr i32 across_pitch(i32 outers, bool halves) { return in_words(outers + 8, halves); }
/// Returns the words of one factor in a stage. @param along  true if a line holds consecutive k of one row or unit;
/// false if it holds all rows or units for one k
constexpr i32 side_words(i32 outers, bool along, bool halves) {
  return along ? outers * along_pitch(halves) : kTileDepth * across_pitch(outers, halves);
}
constexpr i32 stage_words(i32 size, bool halves, i32 gates, bool left_along, bool right_along) {
  return side_words(tile_rows(size, halves), left_along, halves) +
         side_words(gates * tile_units(size, gates), right_along, halves);
}
/// Returns the words in which groups of warps exchange their sums; 0 if there is one group.
constexpr i32 part_words(i32 size, bool halves, i32 gates) {
  const i32 chains = chains_of(size, halves);
  return chains == 1 ? 0 : chains * tile_rows(size, halves) * gates * tile_units(size, gates);
}
/// Returns the words of a kernel's dynamic shared memory.
constexpr i32 tile_words(i32 size, bool halves, i32 gates, bool left_along, bool right_along) {
  return tile_stages(size) * stage_words(size, halves, gates, left_along, right_along) +
         part_words(size, halves, gates);
}

}  // namespace cavs::cuda
