// Products of rows with weights. A column is summed in 32 chains of multiply-adds over ascending k, the chain of lane l
// taking k = l, l + 32, ..., which are then added as warp_sum() adds lanes: whether the lanes of a warp hold the weight
// in registers, read it, or one thread does the work of all. So where a weight lives changes no bit.
namespace cavs::cuda {

/// Adds the sums of 32 chains in the order of a warp, whichever comes first being that of lane order(0), order(1), ...
class ChainSum {
 public:
  /// The lane whose chain is the i-th: the bits of i from the last to the first.
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
  float two_ = 0, four_ = 0, eight_ = 0, sixteen_ = 0, all_ = 0;
};

/// A column by one thread: its neighbours read neighbouring weights.
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

/// A column by a warp: its lanes read neighbouring weights.
CAVS_DEVICE float column_by_warp(const float* x, const float* weight, i32 k, i32 k_stride) {
  float chain = 0;
#pragma unroll 1
  for (i32 p = lane(); p < k; p += 32)
    chain = multiply_add(rounded(load(x + p)), rounded(load(weight + static_cast<i64>(p) * k_stride)), chain);
  return warp_sum(chain);
}

/// The units [begin, end) of a panel, whose weights are read from memory.
CAVS_DEVICE void multiply_streamed(const KernelArguments& a, const Entry& entry, const Work& work, const Panel& panel,
                                   i32 begin, i32 end) {
  begin = larger(begin, panel.first), end = smaller(end, panel.first + panel.units);
  if (begin >= end) return;
  if (kBf16) return multiply_matrices_streamed(a, entry, work, panel, begin, end);
  const Operand x = operand(a, entry, panel.in);
#pragma unroll 1
  for (i32 g = panel.gate; g < panel.gate + panel.gates; ++g) {
    const Gate& gate = kGates[g];
    const Operand y = operand(a, entry, gate.out);
    const float* const weight = a.parameters + gate.weight;
    const bool by_warp = gate.k_stride == 1;
    each_pair(by_warp ? warp() : thread(), by_warp ? kWarps : kThreads, work.row_end - work.row_begin, end - begin,
              [&](i32 r, i32 u) {
                const i32 row = work.row_begin + r, unit = begin - panel.first + u;
                const float* const from = x.find(row);
                const float* const of_column = weight + static_cast<i64>(unit) * gate.column_stride;
                float sum = 0;
                if (from != nullptr)
                  sum = by_warp ? column_by_warp(from, of_column, panel.k, gate.k_stride)
                                : column_by_thread(from, of_column, panel.k, gate.k_stride);
                if (!by_warp || lane() == 0) put_product(y, row, gate.column + unit, sum, gate.add != 0);
              });
  }
}

/// Weights that the lanes of a processor's warps hold in registers from the beginning of the launch to its end. Columns
/// of all gates of the processor's units, unit by unit, are dealt to the warps in turn, so that each has its share
/// however few units there are; of each column a lane has the weights of k = lane, lane + 32, ... All indices are
/// literal once loops are unrolled, or the array would not be in registers.
template <int kColumns, int kUnitGates, int kValues>
struct Tile {
  float weights[kColumns][kValues];

  /// @param own  units of the processor
  CAVS_DEVICE void read(const KernelArguments& a, const Panel& panel, const UnitRange& own) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const i32 unit = unit_of(own, c);
      const Gate& gate = gate_of(panel, c);
      const i64 step = 32 * static_cast<i64>(gate.k_stride);
      const float* from = a.parameters + gate.weight + static_cast<i64>(unit - panel.first) * gate.column_stride +
                          static_cast<i64>(lane()) * gate.k_stride;
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        float weight = 0;
        if (unit < own.end && has(panel, v)) weight = load(from);
        from += step;
        keep(weight);
        weights[c][v] = weight;
      }
    }
  }

  /// All rows of the work times the units.
  CAVS_DEVICE void multiply(const KernelArguments& a, const Entry& entry, const Work& work, const Panel& panel,
                            const UnitRange& own) const {
    const Operand x = operand(a, entry, panel.in);
#pragma unroll 1
    for (i32 row = work.row_begin; row < work.row_end; ++row)
      multiply_columns<0>(a, entry, panel, own, row, x.find(row));
  }

 private:
  static constexpr int kColumnsTogether = 32;  // that are summed over lanes together

  /// Whether there is a k for the lane's value v: of all but the last there is.
  static CAVS_DEVICE bool has(const Panel& panel, int v) { return v < kValues - 1 || v * 32 + lane() < panel.k; }
  /// Of the warp's column c.
  static CAVS_DEVICE i32 unit_of(const UnitRange& own, i32 c) { return own.begin + (c * kWarps + warp()) / kUnitGates; }
  static CAVS_DEVICE const Gate& gate_of(const Panel& panel, i32 c) {
    return kGates[panel.gate + (c * kWarps + warp()) % kUnitGates];
  }

  /// Numbers of the row are read one by one, as registers are for weights.
  template <int kFirst>
  CAVS_DEVICE void multiply_columns(const KernelArguments& a, const Entry& entry, const Panel& panel,
                                    const UnitRange& own, i32 row, const float* from) const {
    constexpr int kCount = kColumns - kFirst < kColumnsTogether ? kColumns - kFirst : kColumnsTogether;
    float sums[kCount] = {};
    if (from != nullptr) {
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        const float in = has(panel, v) ? load(from + v * 32 + lane()) : 0.0F;
#pragma unroll
        for (int c = 0; c < kCount; ++c) sums[c] = multiply_add(in, weights[kFirst + c][v], sums[c]);
      }
    }
    const i32 sum = sum_over_lanes<16, kCount>(sums);
    if (sum >= 0) {
      const i32 unit = unit_of(own, kFirst + sum);
      const Gate& gate = gate_of(panel, kFirst + sum);
      if (unit < own.end)
        put_product(operand(a, entry, gate.out), row, gate.column + unit - panel.first, sums[0], gate.add != 0);
    }
    if constexpr (kFirst + kCount < kColumns) multiply_columns<kFirst + kCount>(a, entry, panel, own, row, from);
  }

  /// Sums each of kSums numbers over the lanes: as long as a lane has several, it gives half of them away for the other
  /// half of its partner's, so that 32 sums take 31 shuffles and not 160.
  /// @return which of them sums[0] is; -1: another lane has it, too, or it is none
  template <int kMask, int kSums>
  static CAVS_DEVICE i32 sum_over_lanes(float* sums) {
    if constexpr (kMask == 0) {
      return 0;
    } else {
      const bool upper = (lane() & kMask) != 0;
      constexpr int kHalf = (kSums + 1) / 2;
      if constexpr (kSums == 1) {
        sums[0] += shuffle_xor(sums[0], kMask);
        const i32 own = sum_over_lanes<kMask / 2, 1>(sums);
        return upper ? -1 : own;
      } else {
#pragma unroll
        for (int i = 0; i < kHalf; ++i) {
          const float low = sums[i], high = kHalf + i < kSums ? sums[kHalf + i] : 0.0F;
          const float received = shuffle_xor(upper ? low : high, kMask);
          sums[i] = (upper ? high : low) + received;
        }
        const i32 own = sum_over_lanes<kMask / 2, kHalf>(sums);
        if (own < 0) return -1;
        return !upper ? own : kHalf + own < kSums ? kHalf + own : -1;
      }
    }
  }
};

}  // namespace cavs::cuda
