#pragma once

// Copies the factors of a product to shared memory. A stage is the copy of one slice of the depth.

#include "backend/cuda/entries/device/products.cuh"
#include "backend/cuda/entries/tile_shape.h"

namespace cavs::cuda {

/// Four neighbouring numbers in shared memory, as bits, because load() takes a float to be in GPU memory.
struct alignas(16) Quad {
  unsigned bits[4];
};
struct alignas(8) Pair {
  unsigned bits[2];
};

/// The position of a stage in the depth of a tile. Several groups of warps may each compute one chain of sums. A stage
/// then has a slice of each chain of a round, and the chains of a round are neighbours in the depth.
template <i32 kSize>
struct Depth {
  static constexpr i32 kChains = chains_of(kSize, kBf16), kSlice = kTileDepth / kChains;
  i32 depth, chain;             // numbers k of the product, and of a chain
  i32 round = 0, in_chain = 0;  // first k of the round; offset of the stage in each chain

  CAVS_DEVICE explicit Depth(i32 all) : depth(all), chain(chain_of(all)) {}
  /// Returns a chain's depth: a quarter of the whole, so that in most products each of four groups of warps has one.
  static CAVS_DEVICE i32 chain_of(i32 depth) {
    const i32 quarter = (depth + 4 * kTileDepth - 1) / (4 * kTileDepth) * kTileDepth;
    return smaller(quarter, kMostChain);
  }
  CAVS_DEVICE bool has_more() const { return round + in_chain < depth; }
  CAVS_DEVICE bool is_last_of_chain() const { return in_chain + kSlice == chain || !next().has_more(); }
  CAVS_DEVICE Depth next() const {
    Depth after = *this;
    after.in_chain += kSlice;
    if (after.in_chain == chain) {
      after.in_chain = 0;
      after.round += kChains * chain;
    }
    return after;
  }
  /// Returns the position in the depth of line `number` of the stage.
  CAVS_DEVICE i32 place(i32 number) const {
    return kChains == 1 ? round + in_chain + number : round + number / kSlice * chain + in_chain + number % kSlice;
  }
  /// Returns how many numbers of a group's slice exist: kSlice or fewer; 0 or below if none does.
  CAVS_DEVICE i32 of_slice(i32 group) const { return smaller(kSlice, depth - place(group * kSlice)); }
};

/// Copies four neighbours of a line to shared memory. Numbers from `count` on are zeros.
CAVS_DEVICE void copy_neighbours(unsigned* to, const BlockFactor& f, i64 first, i32 count) {
  const float* const from = f.first + first;
  if (is_aligned(from)) return copy_bytes_to_shared(to, from, count * 4);
#pragma unroll
  for (i32 i = 0; i < 4; ++i) copy_to_shared(to + i, from + i, i < count ? 0 : -1);
}

/// Copies eight neighbours in bf16 likewise. Rounds them if the factor is not stored in bf16.
CAVS_DEVICE void copy_neighbours_as_halves(unsigned* to, const BlockFactor& f, i64 first, i32 count) {
  if (f.halves != nullptr && is_aligned(f.halves + first)) return copy_bytes_to_shared(to, f.halves + first, count * 2);
  const auto half = [&](i32 i) -> unsigned {
    if (i >= count) return 0;
    return f.halves != nullptr ? load(f.halves + first + i) : half_of(load(f.first + first + i));
  };
#pragma unroll 1
  for (i32 i = 0; i < 4; ++i) store(to + i, half(2 * i) | half(2 * i + 1) << 16);
}

/// Copies kOuters rows or columns of each of kFactors factors to a stage. @tparam kAlong  see side_words()
/// @param outer  first row or column of the tile
/// @param rows  [kOuters] with kAlong, the operand's row for each row of the tile, or -1 for zeros; nullptr: in order
template <i32 kSize, bool kAlong, i32 kOuters, i32 kFactors>
CAVS_DEVICE void bring_side(const BlockFactor* factors, const i32* rows, i32 outer, const Depth<kSize>& at,
                            unsigned* to) {
  constexpr i32 kCollective = kKeepsHalves ? 8 : 4;  // numbers in 16 bytes
  constexpr i32 kAcross = (kAlong ? kTileDepth : kOuters) / kCollective, kPieces = kOuters * kTileDepth / kCollective;
#pragma unroll 2
  for (i32 p = forget(thread()); p < kFactors * kPieces; p += kThreads) {
    const i32 factor = p / kPieces, line = p % kPieces / kAcross, along = p % kAcross * kCollective;
    const BlockFactor f = load(factors + factor);
    const auto copy = [&](i32 word, i64 first, i32 count) {
      if constexpr (kKeepsHalves)
        copy_neighbours_as_halves(to + word, f, first, count);
      else
        copy_neighbours(to + word, f, first, count);
    };
    if constexpr (kAlong) {
      const i32 own = outer + line, k = at.place(along);
      const i32 number = rows != nullptr ? load(rows + line) : own < f.outers ? own : -1;
      copy((factor * kOuters + line) * along_pitch(kBf16) + in_words(along, kBf16),
           static_cast<i64>(number) * f.stride + k, number < 0 ? 0 : at.depth - k);
    } else {
      i32 number;
      const i64 first = find_line(f, at.place(line), at.depth, number) + outer + along;
      copy(line * across_pitch(kFactors * kOuters, kBf16) + in_words(factor * kOuters + along, kBf16), first,
           number < 0 ? 0 : f.outers - outer - along);
    }
  }
}

}  // namespace cavs::cuda
