// Products in bf16: 16 columns of a weight times 8 rows, 16 numbers k at a time in ascending order, by
// multiply_matrices(). An element of the result depends on its own row and column alone, so where a weight lives
// changes no bit.
namespace cavs::cuda {

constexpr i32 kColumnsTogether = 16, kRowsTogether = 8, kDepthTogether = 16;

/// Which column (and column + 8) of a, which row of b and columns (and column + 1) of the result a lane has.
CAVS_DEVICE i32 fragment_group() { return lane() / 4; }
CAVS_DEVICE i32 fragment_pair() { return lane() % 4 * 2; }

/// Numbers of a row or column, a step apart; zeros after them.
struct Numbers {
  const float* from;
  i64 step;
  i32 count;

  CAVS_DEVICE float at(i32 p) const { return p < count ? load(from + p * step) : 0.0F; }
  CAVS_DEVICE unsigned pair(i32 p) const { return pack_bf16(at(p), at(p + 1)); }
  /// Addresses are found one from the other, and take no registers before.
  CAVS_DEVICE void advance(i32 by) { from = forget(from + by * step), count -= by; }
};
/// What the lane has of 16 columns, given its two of them.
CAVS_DEVICE void read_columns(unsigned (&a)[4], const Numbers& column, const Numbers& column8) {
  const i32 p = fragment_pair();
  a[0] = column.pair(p), a[1] = column8.pair(p), a[2] = column.pair(p + 8), a[3] = column8.pair(p + 8);
}
/// What the lane has of 8 rows, given its one of them; nullptr: zeros.
CAVS_DEVICE void read_rows(unsigned (&b)[2], const float* row, i32 first, i32 k) {
  const Numbers numbers{row, 1, row == nullptr ? 0 : k};
  const i32 p = first + fragment_pair();
  b[0] = numbers.pair(p), b[1] = numbers.pair(p + 8);
}
/// Calls f(column, row, sum) for the lane's sums of 16 columns and 8 rows.
template <typename F>
CAVS_DEVICE void each_sum(const float (&sums)[4], F f) {
#pragma unroll
  for (i32 i = 0; i < 4; ++i) f(fragment_group() + i / 2 * 8, fragment_pair() + i % 2, sums[i]);
}

/// A column of a gate; zeros from unit `end` on.
CAVS_DEVICE Numbers find_column(const KernelArguments& a, const Panel& panel, const Gate& gate, i32 unit, i32 end) {
  return {a.parameters + gate.weight + static_cast<i64>(unit - panel.first) * gate.column_stride, gate.k_stride,
          unit < end ? panel.k : 0};
}

/// multiply_streamed() in bf16: a warp takes 16 units of a gate and 8 rows.
CAVS_DEVICE void multiply_matrices_streamed(const KernelArguments& a, const Work& work, const Panel& panel, i32 begin,
                                            i32 end) {
  const i32 rows = (work.row_end - work.row_begin + kRowsTogether - 1) / kRowsTogether;
  const i32 columns = (end - begin + kColumnsTogether - 1) / kColumnsTogether;
#pragma unroll 1
  for (i32 g = panel.gate; g < panel.gate + panel.gates; ++g) {
    each_pair(warp(), kWarps, rows, columns, [&](i32 r, i32 c) {
      const Gate& gate = *forget(kGates + g);
      const i32 first_row = work.row_begin + r * kRowsTogether, first_unit = begin + c * kColumnsTogether;
      const i32 row = first_row + fragment_group(), unit = first_unit + fragment_group();
      const float* const from = row < work.row_end ? operand(forget(panel.in)).find(row) : nullptr;
      Numbers column = find_column(a, panel, gate, unit, end), column8 = find_column(a, panel, gate, unit + 8, end);
      float sums[4] = {};
#pragma unroll 1
      for (i32 k = 0; k < panel.k; k += kDepthTogether) {
        unsigned left[4], right[2];
        read_columns(left, column, column8);
        column.advance(kDepthTogether), column8.advance(kDepthTogether);
        read_rows(right, from, k, panel.k);
        multiply_matrices(sums, left, right);
      }
      each_sum(sums, [&](i32 of, i32 to, float sum) {
        if (first_unit + of < end && first_row + to < work.row_end)
          put_product(operand(forget(gate.out)), first_row + to, gate.column + first_unit + of - panel.first, sum,
                      gate.add != 0);
      });
    });
  }
}

/// What tiles of so many matrices have to do of a panel.
template <int kMatrices>
struct MatrixTileWork {
  const Work& work;
  const Panel& panel;
  const UnitRange& own;

  CAVS_DEVICE MatrixTileWork(const Work& all, const Panel& of, const UnitRange& units)
      : work(all), panel(of), own(units) {}
};

/// A Tile in bf16: columns of all gates of the processor's units, 16 at a time, are dealt to the warps in turn; kValues
/// steps of 16 k.
template <int kMatrices, int kUnitGates, int kValues>
struct MatrixTile {
  unsigned weights[kMatrices][kValues][4];

  CAVS_DEVICE void read(const KernelArguments& a, const Panel& panel, const UnitRange& own) {
#pragma unroll
    for (int m = 0; m < kMatrices; ++m) {
      const i32 column = first_column(m) + fragment_group();
      Numbers from = find(a, panel, own, column), from8 = find(a, panel, own, column + 8);
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        read_columns(weights[m][v], from, from8);
        from.advance(kDepthTogether), from8.advance(kDepthTogether);
#pragma unroll
        for (int i = 0; i < 4; ++i) keep(weights[m][v][i]);
      }
    }
  }

  CAVS_DEVICE void multiply(const MatrixTileWork<kMatrices>& of) const {
    const Work& work = of.work;
    const Panel& panel = of.panel;
    const UnitRange& own = of.own;
#pragma unroll 1
    for (i32 first = work.row_begin; first < work.row_end; first += kRowsTogether) {
      const i32 row = first + fragment_group();
      const float* const from = row < work.row_end ? operand(forget(panel.in)).find(row) : nullptr;
      float sums[kMatrices][4] = {};
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        unsigned in[2];
        // All but the last step have their numbers.
        read_rows(in, from, v * kDepthTogether, v < kValues - 1 ? kValues * kDepthTogether : panel.k);
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) multiply_matrices(sums[m], weights[m][v], in);
      }
#pragma unroll
      for (int m = 0; m < kMatrices; ++m)
        each_sum(sums[m], [&](i32 of, i32 to, float sum) {
          const i32 column = first_column(m) + of, unit = own.begin + column / kUnitGates;
          if (unit >= own.end || first + to >= work.row_end) return;
          const Gate& gate = kGates[panel.gate + column % kUnitGates];
          put_product(operand(gate.out), first + to, gate.column + unit - panel.first, sum, gate.add != 0);
        });
    }
  }

 private:
  /// Of the warp's matrix m, among the processor's.
  static CAVS_DEVICE i32 first_column(i32 m) { return (m * kWarps + warp()) * kColumnsTogether; }
  static CAVS_DEVICE Numbers find(const KernelArguments& a, const Panel& panel, const UnitRange& own, i32 column) {
    return find_column(a, panel, kGates[panel.gate + column % kUnitGates], own.begin + column / kUnitGates, own.end);
  }
};

}  // namespace cavs::cuda
