#pragma once

// A tile of a product, computed by the threads of a block. The depth (k) is summed in chains from zero, which are added
// in order. So an element is bit-identical in tiles of all sizes, whatever the other rows are.

#include "backend/cuda/batched/device/tile_stages.cuh"

namespace cavs::cuda {

/// The elements of a tile that a thread computes. They are the same for all gates.
/// @tparam kLeftAlong, kRightAlong  true if a line of the factor in shared memory holds consecutive k of one row or
/// unit; false if it holds all rows or units for one k
template <i32 kSize, i32 kGates, bool kLeftAlong, bool kRightAlong>
struct ProductTile {
  static constexpr i32 kRows = tile_rows(kSize, kBf16), kUnits = tile_units(kSize, kGates),
                       kChains = chains_of(kSize, kBf16);
  static constexpr i32 kUnitsOfThread = units_of_thread(kSize, kGates);
  static constexpr i32 kSums = rows_of_thread(kSize) * kUnitsOfThread;  // sums of a thread per gate, of its chain
  static constexpr i32 kElements = kSums / kChains;                     // elements of a thread per gate, of all chains
  static constexpr i32 kThreadsOfChain = kTileThreads / kChains, kStages = tile_stages(kSize);
  static constexpr i32 kStageWords = stage_words(kSize, kBf16, kGates, kLeftAlong, kRightAlong);
  static constexpr i32 kLeftWords = side_words(kRows, kLeftAlong, kBf16);
  static constexpr i32 kWords = tile_words(kSize, kBf16, kGates, kLeftAlong, kRightAlong);
  using Sums = float[kGates][kSums];
  // With tensor cores, a warp computes kRowBlocks x kUnitBlocks blocks of 16 rows and 8 units.
  static constexpr bool kInBlocks = kBf16 || kTf32;
  static constexpr i32 kRowBlocks = kSize == kLargeTile ? 4 : 1, kUnitBlocks = kSize == kLargeTile ? 4 : kUnitsOfThread;
  static constexpr i32 kWarpsDown = kRows / 16 / kRowBlocks;  // warps, one below the other, that cover the tile's rows
  static_assert(kWarpsDown * 32 * (kUnits / 8 / kUnitBlocks) == kThreadsOfChain, "all warps");

  float totals[kGates][kElements];  // the thread's elements, to which chains are added

  CAVS_DEVICE void clear() {
#pragma unroll
    for (i32 i = 0; i < kGates * kElements; ++i) totals[i / kElements][i % kElements] = -0.0F;  // x + -0 is always x
  }

  /// Returns the number of the thread's group of warps, which computes a chain, and of the thread in the group.
  static CAVS_DEVICE i32 chain() { return forget(thread()) / kThreadsOfChain; }
  static CAVS_DEVICE i32 of_chain() { return forget(thread()) % kThreadsOfChain; }

  /// Returns the row of the thread's sum `e`. With CUDA cores, a thread has neighbouring rows: up to four, or four in
  /// each half of the tile. With tensor cores, `mma` determines a thread's elements in blocks of 16 rows and 8 units.
  static CAVS_DEVICE i32 row_of_sum(i32 e) {
    if constexpr (kInBlocks) return first_row() + e / 4 / kUnitBlocks * 16 + lane() / 4 + e % 4 / 2 * 8;
    const i32 i = e / kUnitsOfThread;
    return first_row() + i / 4 * (kRows / 2) + i % 4;
  }
  static CAVS_DEVICE i32 unit_of_sum(i32 e) {
    if constexpr (kInBlocks) return first_unit() + e / 4 % kUnitBlocks * 8 + lane() % 4 * 2 + e % 2;
    return unit_of(e % kUnitsOfThread);
  }
  /// Returns the first row that the thread, or its warp, multiplies.
  static CAVS_DEVICE i32 first_row() {
    if constexpr (kInBlocks) return of_chain() / 32 % kWarpsDown * kRowBlocks * 16;
    return of_chain() / kThreadsAcross * 4;
  }
  static CAVS_DEVICE i32 first_unit() { return of_chain() / 32 / kWarpsDown * kUnitBlocks * 8; }
  /// Returns the unit of the thread's v-th sum of a row, without tensor cores.
  static CAVS_DEVICE i32 unit_of(i32 v) {
    constexpr i32 kCollective = kUnitsOfThread < 4 ? kUnitsOfThread : 4;
    const i32 across = of_chain() % kThreadsAcross;
    if (kRightAlong) return across + v * kThreadsAcross;
    return v / kCollective * kCollective * kThreadsAcross + across * kCollective + v % kCollective;
  }
  /// Returns the number of the sum from which the thread's element `e` is made.
  static CAVS_DEVICE i32 sum_of(i32 e) { return kChains == 1 ? e : e * kChains + chain(); }
  static CAVS_DEVICE i32 row_of(i32 e) { return row_of_sum(sum_of(e)); }
  static CAVS_DEVICE i32 unit_of_element(i32 e) { return unit_of_sum(sum_of(e)); }

  /// Adds the product of two factors to the totals of the gates in kMask, for rows from `row` and units from `unit`.
  /// All threads of the block must call it.
  /// @param right  [gates of the mask] their factors
  /// @param rows   see bring_side()
  template <unsigned kMask>
  CAVS_DEVICE void add(const BlockFactor* left, const BlockFactor* right, const i32* rows, i32 depth, i32 row,
                       i32 unit) {
    constexpr i32 kFactors = count_of(kMask);
    unsigned* const stages = shared_words<kWords>();
    const auto bring = [&](const Depth<kSize>& at, i32 stage) {
      unsigned* const to = stages + stage * kStageWords;
      if (at.has_more()) {
        bring_side<kSize, kLeftAlong, kRows, 1>(left, rows, row, at, to);
        bring_side<kSize, kRightAlong, kUnits, kFactors>(right, nullptr, unit, at, to + kLeftWords);
      }
      commit_copies();
    };
    Depth<kSize> coming(depth), at(depth);
#pragma unroll 1
    for (i32 s = 0; s < kStages - 1; ++s) bring(coming, s), coming = coming.next();
    Sums sums;
    clear(sums);
    const i32 rows_left = load(&left->outers) - row;
#pragma unroll 1
    for (i32 stage = 0, free = kStages - 1; at.has_more(); at = at.next()) {
      stages_arrive<kStages - 2>();
      sync();  // the stage has been copied, and the previous stage is free
      bring(coming, free);
      coming = coming.next();
      if (first_row() < rows_left)
        multiply<kMask>(stages + stage * kStageWords, stages + stage * kStageWords + kLeftWords, at.of_slice(chain()),
                        sums);
      if (at.is_last_of_chain()) add_chains<kMask>(sums, at, stages + kStages * kStageWords);
      stage = stage + 1 == kStages ? 0 : stage + 1;
      free = free + 1 == kStages ? 0 : free + 1;
    }
    sync();  // all stages are free
  }

 private:
  static constexpr i32 count_of(unsigned mask) {
    return mask == 0 ? 0 : static_cast<i32>(mask & 1U) + count_of(mask >> 1);
  }
  /// Returns the position of a gate's factor among the factors of a mask.
  static constexpr i32 factor_of(unsigned mask, i32 gate) { return count_of(mask & ((1U << gate) - 1)); }
  static constexpr bool has(unsigned mask, i32 gate) { return (mask >> gate & 1U) != 0; }

  static CAVS_DEVICE void clear(Sums& sums) {
#pragma unroll
    for (i32 i = 0; i < kGates * kSums; ++i) sums[i / kSums][i % kSums] = 0;
  }

  template <unsigned kMask>
  static CAVS_DEVICE void multiply(const unsigned* left, const unsigned* right, i32 depth, Sums& sums) {
    if constexpr (kInBlocks)
      multiply_in_blocks<kMask>(left, right, depth, sums);
    else
      multiply_numbers<kMask>(left, right, depth, sums);
  }

  /// Returns numbers k and k + 1 of the stage (k alone in TF32) of a row or unit. @param line  number of the row or
  /// unit
  template <bool kAlong, i32 kPitch>
  static CAVS_DEVICE unsigned fragment(const unsigned* side, i32 line, i32 k) {
    if constexpr (kBf16 && kAlong) return load(side + line * along_pitch(true) + k / 2);
    if constexpr (kBf16) {
      const Half* const at = reinterpret_cast<const Half*>(side + k * kPitch) + line;
      return load(at) | static_cast<unsigned>(load(at + 2 * kPitch)) << 16;
    }
    return pack_tf32(float_of(load(kAlong ? side + line * along_pitch(false) + k : side + k * kPitch + line)));
  }

  template <unsigned kMask>
  static CAVS_DEVICE void multiply_in_blocks(const unsigned* left, const unsigned* right, i32 depth, Sums& sums) {
    constexpr i32 kSlice = Depth<kSize>::kSlice, kStep = kBf16 ? 16 : 8;
    constexpr i32 kPitch = across_pitch(count_of(kMask) * kUnits, kBf16);
    const i32 first = chain() * kSlice + lane() % 4 * (kBf16 ? 2 : 1), row = first_row() + lane() / 4;
    const i32 unit = first_unit() + lane() / 4;
#pragma unroll
    for (i32 k = 0; k < kSlice; k += kStep) {
      if (k >= depth) break;
      unsigned a[kRowBlocks][4];
#pragma unroll
      for (i32 i = 0; i < kRowBlocks * 4; ++i)
        a[i / 4][i % 4] = fragment<kLeftAlong, across_pitch(kRows, kBf16)>(left, row + i / 4 * 16 + i % 2 * 8,
                                                                           first + k + i % 4 / 2 * (kStep / 2));
#pragma unroll
      for (i32 g = 0; g < kGates; ++g) {
        if (!has(kMask, g)) continue;
#pragma unroll
        for (i32 u = 0; u < kUnitBlocks; ++u) {
          unsigned b[2];
#pragma unroll
          for (i32 i = 0; i < 2; ++i)
            b[i] = fragment<kRightAlong, kPitch>(right, factor_of(kMask, g) * kUnits + unit + u * 8,
                                                 first + k + i * (kStep / 2));
#pragma unroll
          for (i32 r = 0; r < kRowBlocks; ++r) multiply_block(sums[g] + (r * kUnitBlocks + u) * 4, a[r], b);
        }
      }
    }
  }
  static CAVS_DEVICE void multiply_block(float* sums, const unsigned (&a)[4], const unsigned (&b)[2]) {
    float own[4] = {sums[0], sums[1], sums[2], sums[3]};
    if constexpr (kBf16)
      multiply_matrices(own, a, b);
    else
      multiply_matrices_tf32(own, a, b);
#pragma unroll
    for (i32 i = 0; i < 4; ++i) sums[i] = own[i];
  }

  template <unsigned kMask>
  static CAVS_DEVICE void multiply_numbers(const unsigned* left, const unsigned* right, i32 depth, Sums& sums) {
    constexpr i32 kSlice = Depth<kSize>::kSlice, kRowsOfThread = rows_of_thread(kSize);
    constexpr i32 kPitch = across_pitch(count_of(kMask) * kUnits, kBf16);
    const i32 first = chain() * kSlice, row = first_row();
#pragma unroll
    for (i32 k = 0; k < kSlice; k += 4) {
      if (k >= depth) break;
      float a[kRowsOfThread][4];
#pragma unroll
      for (i32 i = 0; i < kRowsOfThread; ++i) {
        // Loads four numbers of one row along the depth, or one number of each of four rows.
        const i32 half = i / 4 * (kRows / 2);
        const Quad four = load(reinterpret_cast<const Quad*>(
            kLeftAlong ? left + (row + half + i % 4) * along_pitch(false) + first + k
                       : left + (first + k + i % 4) * across_pitch(kRows, kBf16) + row + half));
#pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          if (kLeftAlong)
            a[i][j] = float_of(four.bits[j]);
          else
            a[i / 4 * 4 + j][i % 4] = float_of(four.bits[j]);
        }
      }
      if constexpr (kRightAlong) {
#pragma unroll
        for (i32 g = 0; g < kGates; ++g) {
          if (!has(kMask, g)) continue;
#pragma unroll
          for (i32 v = 0; v < kUnitsOfThread; ++v) {
            const i32 line = factor_of(kMask, g) * kUnits + unit_of(v);
            const Quad b = load(reinterpret_cast<const Quad*>(right + line * along_pitch(false) + first + k));
#pragma unroll
            for (i32 j = 0; j < 4; ++j)
#pragma unroll
              for (i32 i = 0; i < kRowsOfThread; ++i) {
                float& sum = sums[g][i * kUnitsOfThread + v];
                sum = multiply_add(a[i][j], float_of(b.bits[j]), sum);
              }
          }
        }
      } else {
#pragma unroll
        for (i32 j = 0; j < 4; ++j)
#pragma unroll
          for (i32 g = 0; g < kGates; ++g) {
            if (!has(kMask, g)) continue;
            float b[kUnitsOfThread];
            load_units(right + (first + k + j) * kPitch + factor_of(kMask, g) * kUnits, b);
#pragma unroll
            for (i32 i = 0; i < kRowsOfThread; ++i)
#pragma unroll
              for (i32 v = 0; v < kUnitsOfThread; ++v) {
                float& sum = sums[g][i * kUnitsOfThread + v];
                sum = multiply_add(a[i][j], b[v], sum);
              }
          }
      }
    }
  }

  /// Loads the thread's units from a line that has all units for one k.
  static CAVS_DEVICE void load_units(const unsigned* line, float (&b)[kUnitsOfThread]) {
    if constexpr (kUnitsOfThread >= 4) {
#pragma unroll
      for (i32 v = 0; v < kUnitsOfThread; v += 4) {
        const Quad four = load(reinterpret_cast<const Quad*>(line + unit_of(v)));
#pragma unroll
        for (i32 i = 0; i < 4; ++i) b[v + i] = float_of(four.bits[i]);
      }
    } else if constexpr (kUnitsOfThread == 2) {
      const Pair two = load(reinterpret_cast<const Pair*>(line + unit_of(0)));
      b[0] = float_of(two.bits[0]), b[1] = float_of(two.bits[1]);
    } else {
      b[0] = float_of(load(line + unit_of(0)));
    }
  }

  /// Adds the chains of the gates in kMask to the totals, in order, and clears the sums. All threads must call it.
  /// @param parts  memory in which the groups of warps exchange sums
  template <unsigned kMask>
  CAVS_DEVICE void add_chains(Sums& sums, const Depth<kSize>& at, unsigned* parts) {
    if constexpr (kChains == 1) {
#pragma unroll
      for (i32 g = 0; g < kGates; ++g)
#pragma unroll
        for (i32 e = 0; e < kElements; ++e)
          if (has(kMask, g)) totals[g][e] = totals[g][e] + sums[g][e];
    } else {
      constexpr i32 kOfChain = kGates * kSums * kThreadsOfChain;
      unsigned* const own = parts + chain() * kOfChain + of_chain();
#pragma unroll
      for (i32 g = 0; g < kGates; ++g)
#pragma unroll
        for (i32 e = 0; e < kSums; ++e)
          if (has(kMask, g)) store(own + (g * kSums + e) * kThreadsOfChain, bits_of(sums[g][e]));
      sync();  // all sums have been stored
#pragma unroll
      for (i32 g = 0; g < kGates; ++g)
#pragma unroll
        for (i32 e = 0; e < kElements; ++e) {
          if (!has(kMask, g)) continue;
          const unsigned* const from = parts + (g * kSums + e * kChains + chain()) * kThreadsOfChain + of_chain();
#pragma unroll
          for (i32 q = 0; q < kChains; ++q)
            if (at.round + q * at.chain < at.depth) totals[g][e] = totals[g][e] + float_of(load(from + q * kOfChain));
        }
      // The sums of the next chains overwrite these only after the barrier of another stage.
    }
    clear(sums);
  }
};

}  // namespace cavs::cuda
