#pragma once

// Products of rows with weights. A row times a column is summed in 32 chains of multiply-adds: chain l has k = l, l +
// 32, ... in order, and warp_sum() defines the order in which chains are added. A warp with the weight in registers, a
// warp that reads the weight from memory, and a single thread all sum in this way. So the place of a weight changes no
// bit.

#include "backend/cuda/persistent/device/matrix_products.cuh"

namespace cavs::cuda {

/// Adds the sums of 32 chains in the order of a warp. The i-th call of add() is for the chain of lane order(i).
class ChainSum {
 public:
  /// Returns the lane of the i-th chain: the bits of i in reverse.
  static CAVS_DEVICE int order(int i) { return (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4; }
  CAVS_DEVICE void add(int i, float x) {
    if ((i & 1) == 0) return void(two_ = x);
    x = two_ + x;
    if ((i & 2) == 0) return void(four_ = x);
    x = four_ + x;
    if ((i & 4) == 0) return void(eight_ = x);
    x = eight_ + x;
    if ((i & 8) == 0) return void(sixteen_ = x);
    x = sixteen_ + x;
    if ((i & 16) == 0) return void(all_ = x);
    all_ = all_ + x;
  }
  CAVS_DEVICE float sum() const { return all_; }

 private:
  float two_ = 0, four_ = 0, eight_ = 0, sixteen_ = 0, all_ = 0;  // two_: first half of a sum of two chains, and so on
};

/// Returns a row times a column, computed by one thread. Neighbouring threads read neighbouring weights.
CAVS_DEVICE float column_by_thread(const float* x, const float* weight, i32 k, i32 k_stride) {
  ChainSum sum;
#pragma unroll 1
  for (int i = 0; i < 32; ++i) {
    float chain = 0;
#pragma unroll 1
    for (i32 p = ChainSum::order(i); p < k; p += 32)
      chain = multiply_add(rounded(load(x + p)), rounded(load(weight + static_cast<i64>(p) * k_stride)), chain);
    sum.add(i, chain);
  }
  return sum.sum();
}

/// Returns a row times a column, computed by a warp. Its lanes read neighbouring weights.
CAVS_DEVICE float column_by_warp(const float* x, const float* weight, i32 k, i32 k_stride) {
  float chain = 0;
#pragma unroll 1
  for (i32 p = lane(); p < k; p += 32)
    chain = multiply_add(rounded(load(x + p)), rounded(load(weight + static_cast<i64>(p) * k_stride)), chain);
  return warp_sum(chain);
}

/// Multiplies by units [begin, end) of a panel, whose weights are read from memory.
CAVS_DEVICE void multiply_streamed(const KernelArguments& a, const Work& work, const Panel& panel, i32 begin, i32 end) {
  begin = larger(begin, panel.first), end = smaller(end, panel.first + panel.units);
  if (begin >= end) return;
  if constexpr (kBf16) return multiply_matrices_streamed(a, work, panel, begin, end);
#pragma unroll 1
  for (i32 g = panel.gate; g < panel.gate + panel.gates; ++g) {
    const bool by_warp = kGates[g].k_stride == 1;
    each_pair(by_warp ? warp() : thread(), by_warp ? kWarps : kThreads, work.row_end - work.row_begin, end - begin,
              [&](i32 r, i32 u) {
                const Gate& gate = *forget(kGates + g);
                const i32 row = work.row_begin + r, unit = begin - panel.first + u;
                const float* const from = operand(forget(panel.in)).find(row);
                const float* const of_column = a.parameters + gate.weight + static_cast<i64>(unit) * gate.column_stride;
                float sum = 0;
                if (from != nullptr)
                  sum = by_warp ? column_by_warp(from, of_column, panel.k, gate.k_stride)
                                : column_by_thread(from, of_column, panel.k, gate.k_stride);
                if (!by_warp || lane() == 0)
                  put_product(operand(forget(gate.out)), row, gate.column + unit, sum, gate.add != 0);
              });
  }
}

/// Sums each of kSums numbers over the lanes. While a lane has several numbers, it exchanges half of them for half of
/// its partner's numbers, so that 32 sums take 31 shuffles instead of 160. In the end, sums[0] is sum sum_of_lane().
template <int kMask, int kSums>
CAVS_DEVICE void sum_over_lanes(float* sums) {
  if constexpr (kMask > 0 && kSums == 1) {
    sums[0] += shuffle_xor(sums[0], kMask);
    sum_over_lanes<kMask / 2, 1>(sums);
  } else if constexpr (kMask > 0) {
    const bool upper = (lane() & kMask) != 0;
    constexpr int kHalf = (kSums + 1) / 2;
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
      const float low = sums[i], high = kHalf + i < kSums ? sums[kHalf + i] : 0.0F;
      const float received = shuffle_xor(upper ? low : high, kMask);
      sums[i] = (upper ? high : low) + received;
    }
    sum_over_lanes<kMask / 2, kHalf>(sums);
  }
}
/// Returns the number of the sum that the lane has in the end; -1 if there is none, or if another lane has it, too.
template <int kMask, int kSums>
CAVS_DEVICE i32 sum_of_lane() {
  if constexpr (kMask == 0) {
    return 0;
  } else {
    const bool upper = (lane() & kMask) != 0;
    constexpr int kHalf = (kSums + 1) / 2;
    const i32 own = sum_of_lane<kMask / 2, kHalf>();
    if (own < 0 || !upper) return own;
    return kSums > 1 && kHalf + own < kSums ? kHalf + own : -1;
  }
}

/// The part of a panel's work that tiles with kColumns columns share. It does not depend on their weights.
template <int kColumns>
struct TileWork {
  static constexpr int kCount = kColumns < 32 ? kColumns : 32;  // columns that are summed over lanes together

  const Work& work;
  const Panel& panel;
  const UnitRange& own;
  Operand x, y;
  i32 column;       // column of y to which the lane's sum belongs, see sum_of_lane()
  bool puts, adds;  // true if the lane stores a sum; true if the sum is added to y

  /// @param first  number of the first of the warp's columns to multiply
  CAVS_DEVICE TileWork(const Work& all, const Panel& of, const UnitRange& units, i32 first = 0)
      : work(all), panel(of), own(units), x(operand(of.in)) {
    const i32 sum = sum_of_lane<16, kCount>(), number = (first + larger(sum, 0)) * kWarps + warp();
    const i32 unit = own.begin + quotient(number, panel.gates);
    const Gate& gate = kGates[panel.gate + number - (unit - own.begin) * panel.gates];
    y = operand(gate.out);
    column = forget(gate.column + unit - panel.first);
    puts = sum >= 0 && unit < own.end;
    adds = gate.add != 0;
  }
};

/// Weights that the lanes of a processor's warps hold in registers during the whole launch. The columns of all gates of
/// the processor's units, unit by unit, are distributed over the warps in turn, so that all warps have work even if
/// there are few units. A lane has kValues weights of each of its kColumns columns, for k = lane, lane + 32, ... All
/// indices are constant after unrolling; otherwise the array would not be in registers.
template <int kColumns, int kUnitGates, int kValues>
struct Tile {
  float weights[kColumns][kValues];

  /// @param own  units of the processor; columns beyond them get any weights, and their sums are not used
  CAVS_DEVICE void read(const KernelArguments& a, const Panel& panel, const UnitRange& own) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const i32 unit = unit_of(own, c) < own.end ? unit_of(own, c) : panel.first;
      const Gate& gate = gate_of(panel, c);
      const float* from = a.parameters + gate.weight + static_cast<i64>(unit - panel.first) * gate.column_stride +
                          static_cast<i64>(lane()) * gate.k_stride;
#pragma unroll
      for (int v = 0; v < kValues - 1; ++v) {
        weights[c][v] = load(from);
        from += 32 * static_cast<i64>(gate.k_stride);
      }
      weights[c][kValues - 1] = load_or_zero(from, has_last(panel));
    }
  }

  /// Multiplies all rows of the work by the tile's units.
  CAVS_DEVICE void multiply(const TileWork<kColumns>& of) const { multiply_columns<0>(of); }

 private:
  /// Returns a negative number if the lane's last weight of a column does not exist. Its other weights always exist.
  static CAVS_DEVICE i32 has_last(const Panel& panel) { return panel.k - 1 - ((kValues - 1) * 32 + lane()); }
  /// Returns the unit of the warp's column c.
  static CAVS_DEVICE i32 unit_of(const UnitRange& own, i32 c) { return own.begin + (c * kWarps + warp()) / kUnitGates; }
  static CAVS_DEVICE const Gate& gate_of(const Panel& panel, i32 c) {
    return kGates[panel.gate + (c * kWarps + warp()) % kUnitGates];
  }

  /// Multiplies columns from kFirst on. Reads a row's numbers one by one, because weights occupy the registers.
  template <int kFirst>
  CAVS_DEVICE void multiply_columns(const TileWork<kColumns - kFirst>& of) const {
    constexpr int kCount = TileWork<kColumns - kFirst>::kCount;
    const i32 reads_last = has_last(of.panel);
#pragma unroll 1
    for (i32 row = of.work.row_begin; row < of.work.row_end; ++row) {
      float sums[kCount] = {};
      const i32 number = of.x.row_number(row);
      if (number >= 0) {
        const float* const from = of.x.row_of(number) + lane();
#pragma unroll
        for (int v = 0; v < kValues; ++v) {
          const float in = v < kValues - 1 ? load(from + v * 32) : load_or_zero(from + v * 32, reads_last);
#pragma unroll
          for (int c = 0; c < kCount; ++c) sums[c] = multiply_add(in, weights[kFirst + c][v], sums[c]);
        }
      }
      sum_over_lanes<16, kCount>(sums);
      if (of.puts) put_product(of.y, row, of.column, sums[0], of.adds);
    }
    if constexpr (kFirst + kCount < kColumns)
      multiply_columns<kFirst + kCount>(
          TileWork<kColumns - kFirst - kCount>(of.work, of.panel, of.own, kFirst + kCount));
  }
};

/// A Tile whose weights are in shared memory. Each lane reads only words that it wrote, so no barrier is needed.
struct SharedTile {
  static constexpr int kCollective = 8;  // columns that a warp multiplies together
  const TilePlace& place;
  const Panel& panel;  // a panel that is multiplied by the weight

  CAVS_DEVICE SharedTile(i32 tile, const Panel& of) : place(kTiles[tile]), panel(of) {}

  CAVS_DEVICE void read(const KernelArguments& a, const UnitRange& own) const {
    const i32 values = values_of_lane();
#pragma unroll 1
    for (i32 c = 0; c < place.pieces; ++c) {
      const i32 number = c * kWarps + warp(), unit = own.begin + quotient(number, panel.gates);
      if (unit >= own.end) break;  // sums of these columns are ignored
      const Gate& gate = kGates[panel.gate + number % panel.gates];
      const float* const from = a.parameters + gate.weight + static_cast<i64>(unit - panel.first) * gate.column_stride;
#pragma unroll 1
      for (i32 v = 0; v < values; ++v) {
        const i32 k = v * 32 + lane();
        store(word(c, v), bits_of(load_or_zero(from + static_cast<i64>(k) * gate.k_stride, panel.k - 1 - k)));
      }
    }
  }

  /// Multiplies all rows of the work by the tile's units.
  CAVS_DEVICE void multiply(const Work& work, const UnitRange& own) const {
    const i32 values = values_of_lane();
#pragma unroll 1
    for (i32 first = 0; first < place.pieces; first += kCollective) {
      const TileWork<kCollective> of(work, panel, own, first);
#pragma unroll 1
      for (i32 row = work.row_begin; row < work.row_end; ++row) {
        float sums[kCollective] = {};
        const i32 number = of.x.row_number(row);
        if (number >= 0) {
          const float* const from = of.x.row_of(number) + lane();
#pragma unroll 1
          for (i32 v = 0; v < values; ++v) {
            const float in = load_or_zero(from + v * 32, panel.k - 1 - (v * 32 + lane()));
#pragma unroll
            for (int c = 0; c < kCollective; ++c)
              if (has_column(own, first + c)) sums[c] = multiply_add(in, float_of(load(word(first + c, v))), sums[c]);
          }
        }
        sum_over_lanes<16, kCollective>(sums);
        if (of.puts) put_product(of.y, row, of.column, sums[0], of.adds);
      }
    }
  }

 private:
  CAVS_DEVICE i32 values_of_lane() const { return (panel.k + 31) / 32; }
  CAVS_DEVICE unsigned* word(i32 c, i32 v) const { return shared_word(place.first + c * values_of_lane() + v); }
  /// True if the warp's column c exists.
  CAVS_DEVICE bool has_column(const UnitRange& own, i32 c) const {
    return c * kWarps + warp() < (own.end - own.begin) * panel.gates;
  }
};

}  // namespace cavs::cuda
