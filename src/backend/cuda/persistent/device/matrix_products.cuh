#pragma once

// Products in bf16. multiply_matrices() multiplies 16 rows by 8 columns of a weight, for 16 numbers k (a step). The
// steps of a column are split into 8 parts: part p is the chain of steps p, p + 8, ... The parts are added in order.
// Each warp computes some parts of all the processor's columns ("split-K"), or one warp computes all parts. Either way,
// an element of the result depends on its own row and column alone, and not on where a weight is stored.

#include "backend/cuda/entries/device/operands.cuh"

namespace cavs::cuda {

/// Returns the lane's first row in a and in the result (its second row is 8 below), and its column in b.
CAVS_DEVICE i32 fragment_group() { return lane() / 4; }
/// Returns the lane's first k in a and b (others: k + 1, k + 8, k + 9), and its first column of two in the result.
CAVS_DEVICE i32 fragment_pair() { return lane() % 4 * 2; }

/// The lane's column among 8 columns of a weight. The lane reads its four numbers of each step.
struct MatrixColumn {
  const float* from;  // the lane's first number of the step
  i64 stride;         // floats from number k to number k + 1 of the column

  CAVS_DEVICE MatrixColumn(const float* parameters, const Panel& panel, const Gate& gate, i32 unit, i32 part)
      : from(parameters + gate.weight + static_cast<i64>(unit - panel.first) * gate.column_stride +
             static_cast<i64>(part * kDepthTogether + fragment_pair()) * gate.k_stride),
        stride(gate.k_stride) {}

  CAVS_DEVICE void read(unsigned (&b)[2]) const {
    b[0] = pack_bf16(load(from), load(from + stride)),
    b[1] = pack_bf16(load(from + 8 * stride), load(from + 9 * stride));
  }
  /// @param left  how many numbers the column has from `from` on; zeros follow them
  CAVS_DEVICE void read(unsigned (&b)[2], i32 left) const {
    b[0] = pack_bf16(load_or_zero(from, left - 1), load_or_zero(from + stride, left - 2));
    b[1] = pack_bf16(load_or_zero(from + 8 * stride, left - 9), load_or_zero(from + 9 * stride, left - 10));
  }
  /// Moves to the part's next step. The address is hidden, so that the compiler keeps no addresses of later steps.
  CAVS_DEVICE void advance() { from = forget(from + kParts * kDepthTogether * stride); }
};
/// A row of the input. The lane reads its four numbers of each step. If there is no row, the lane reads `weights` (k
/// numbers) in its place, and its sums are not used: results of a row of zeros are set to zero.
struct MatrixRow {
  const float* from;  // the lane's first number of the step

  CAVS_DEVICE MatrixRow(const float* weights, const Work& work, const Operand& x, i32 row) {
    const i32 number = row < work.row_end ? x.row_number(row) : -1;
    from = (number < 0 ? weights : x.row_of(number)) + fragment_pair();
  }
  CAVS_DEVICE void skip(i32 steps) { from += steps * kDepthTogether; }
  /// Moves to the part's next step.
  CAVS_DEVICE void advance() { from = forget(from + kParts * kDepthTogether); }

  /// Returns two consecutive numbers of the row, packed as bf16. @param at  offset from the lane's first number
  CAVS_DEVICE unsigned pair(i32 at) const { return pack_bf16(load(from + at), load(from + at + 1)); }
  /// @param left  how many numbers the row has from `from` on; zeros follow them
  CAVS_DEVICE unsigned pair(i32 at, i32 left) const {
    return pack_bf16(load_or_zero(from + at, left - at - 1), load_or_zero(from + at + 1, left - at - 2));
  }
};
/// Reads the lane's elements of a step, from its two rows. @param left  see pair(); left out if the whole step exists
template <typename... Left>
CAVS_DEVICE void read_rows(unsigned (&a)[4], const MatrixRow& row, const MatrixRow& row8, i32 at, Left... left) {
  a[0] = row.pair(at, left...), a[1] = row8.pair(at, left...);
  a[2] = row.pair(at + 8, left...), a[3] = row8.pair(at + 8, left...);
}
/// Calls f(row, column, i) for each sum i of the lane, with its place in the 16 rows and 8 columns.
template <typename F>
CAVS_DEVICE void each_sum(F f) {
#pragma unroll
  for (i32 i = 0; i < 4; ++i) f(fragment_group() + i / 2 * 8, fragment_pair() + i % 2, i);
}

/// multiply_streamed() in bf16. A warp computes 16 rows and 8 units of a gate at a time.
CAVS_DEVICE void multiply_matrices_streamed(const KernelArguments& a, const Work& work, const Panel& panel, i32 begin,
                                            i32 end) {
  const i32 rows = (work.row_end - work.row_begin + kRowsTogether - 1) / kRowsTogether;
  const i32 columns = (end - begin + kColumnsTogether - 1) / kColumnsTogether;
#pragma unroll 1
  for (i32 g = panel.gate; g < panel.gate + panel.gates; ++g) {
    each_pair(warp(), kWarps, rows, columns, [&](i32 r, i32 c) {
      const i32 first_row = work.row_begin + r * kRowsTogether, first_unit = begin + c * kColumnsTogether;
      float sums[4] = {};
#pragma unroll 1
      for (i32 part = 0; part < kParts; ++part) {
        const Gate& gate = *forget(kGates + g);
        const Operand x = operand(forget(panel.in));
        MatrixRow row(a.parameters + gate.weight, work, x, first_row + fragment_group());
        MatrixRow row8(a.parameters + gate.weight, work, x, first_row + fragment_group() + 8);
        row.skip(part), row8.skip(part);
        const i32 unit = first_unit + fragment_group() < end ? first_unit + fragment_group() : begin;
        MatrixColumn column(a.parameters, panel, gate, unit, part);  // results of columns beyond `end` are ignored
        float chains[4] = {};
#pragma unroll 1
        for (i32 k = part * kDepthTogether; k < panel.k; k += kParts * kDepthTogether) {
          unsigned left[4], right[2];
          const i32 numbers = panel.k - k - fragment_pair();
          read_rows(left, row, row8, 0, numbers);
          column.read(right, numbers);
          row.advance();
          row8.advance();
          column.advance();
          multiply_matrices(chains, left, right);
        }
#pragma unroll
        for (i32 i = 0; i < 4; ++i) sums[i] = sums[i] + chains[i];
      }
      const Gate& gate = *forget(kGates + g);
      each_sum([&](i32 of, i32 to, i32 i) {
        const i32 row = first_row + of, unit = first_unit + to;
        if (unit >= end || row >= work.row_end) return;
        const bool has = operand(forget(panel.in)).has(row);
        put_product(operand(forget(gate.out)), row, gate.column + unit - panel.first, has ? sums[i] : 0.0F,
                    gate.add != 0);
      });
    });
  }
}

/// The work of a processor on a panel, with a tile of weights.
struct MatrixTileWork {
  const Work& work;
  const Panel& panel;
  const UnitRange& own;
  MatrixRow row, row8;  // the lane's two rows among the current 16

  CAVS_DEVICE MatrixTileWork(const KernelArguments& a, const Work& rows, const Panel& of, const UnitRange& units,
                             i32 first)
      : work(rows),
        panel(of),
        own(units),
        row(a.parameters + kGates[of.gate].weight, rows, operand(of.in), first + fragment_group()),
        row8(a.parameters + kGates[of.gate].weight, rows, operand(of.in), first + fragment_group() + 8) {}

  /// Returns the number of matrices (8 columns) of the processor's units.
  CAVS_DEVICE i32 matrices() const {
    return ((own.end - own.begin) * panel.gates + kColumnsTogether - 1) / kColumnsTogether;
  }
  /// Adds the parts in shared memory, which are of 16 rows from `first_row` and of the matrices from number `first`
  /// that are multiplied together. Stores the sums in the result. All threads must call it.
  CAVS_DEVICE void add_parts(i32 first_row, i32 first) const {
    const PartSums& sums = shared<BlockMemory>().of_processor.sums;
    const i32 count = smaller(PartSums::kMatrices, matrices() - first);
#pragma unroll 1
    for (i32 i = thread(); i < count * PartSums::kNumbers; i += kThreads) {
      const i32 column = (first + i / PartSums::kNumbers) * kColumnsTogether + i % kColumnsTogether;
      const i32 row = first_row + i % PartSums::kNumbers / kColumnsTogether;
      const i32 unit = own.begin + quotient(column, panel.gates);
      if (row >= work.row_end || unit >= own.end) continue;
      float sum = 0;
#pragma unroll
      for (i32 part = 0; part < kParts; ++part) sum = sum + float_of(load(&sums.numbers[part][i]));
      const Gate& gate = kGates[panel.gate + column % panel.gates];
      const bool has = operand(forget(panel.in)).has(row);
      put_product(operand(gate.out), row, gate.column + unit - panel.first, has ? sum : 0.0F, gate.add != 0);
    }
  }
};

/// Stores a part of a product for add_parts(). @param matrix  number among the matrices that are multiplied together
CAVS_DEVICE void put_part(i32 part, int matrix, const float (&sums)[4]) {
  if (part >= kParts) return;
  each_sum([&](i32 row, i32 column, i32 i) {
    store(&shared<BlockMemory>()
               .of_processor.sums.numbers[part][matrix * PartSums::kNumbers + row * kColumnsTogether + column],
          bits_of(sums[i]));
  });
}
/// Returns how many numbers remain of a column or row, from the first number of the lane in a step of a part.
CAVS_DEVICE i32 left_of_step(const Panel& panel, i32 part, i32 step) {
  return panel.k - (step * kParts + part) * kDepthTogether - fragment_pair();
}

/// A Tile (products.cuh) in bf16. The columns of all gates of the processor's units are kMatrices matrices of 8
/// columns. Each warp has the weights of its parts, kSteps steps of each.
template <int kMatrices, int kUnitGates, int kSteps>
struct MatrixTile {
  static constexpr int kPartsOfWarp = (kParts + kWarps - 1) / kWarps;
  static constexpr int kStepsOfWeights = 6, kStepsOfRows = 4;  // steps whose weights, or rows, are loaded together
  unsigned weights[kPartsOfWarp][kMatrices][kSteps][2];

  /// @param own  units of the processor; columns beyond them get any weights, and their sums are not used
  CAVS_DEVICE void read(const KernelArguments& a, const Panel& panel, const UnitRange& own) {
    const float* parameters = a.parameters;
#pragma unroll
    for (int p = 0; p < kPartsOfWarp; ++p)
#pragma unroll
      for (int m = 0; m < kMatrices; ++m) {
        const i32 number = forget(m * kColumnsTogether) + fragment_group(), unit = own.begin + number / kUnitGates;
        MatrixColumn column(parameters, panel, kGates[panel.gate + number % kUnitGates],
                            unit < own.end ? unit : panel.first, part_of_warp(p) % kParts);
        unsigned read = kNoNumber;
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
          if (s < kSteps - 1)
            column.read(weights[p][m][s]);
          else
            column.read(weights[p][m][s], left_of(panel, p, s));
          column.advance();
          keep(weights[p][m][s][0]), keep(weights[p][m][s][1]);
          read &= weights[p][m][s][0] & weights[p][m][s][1];
          if (s % kStepsOfWeights == kStepsOfWeights - 1) {
            column.from = after(column.from, read);
            read = kNoNumber;
          }
        }
        parameters = after(parameters, read);
      }
  }

  /// Multiplies the current rows by up to PartSums::kMatrices matrices from `matrix`, and stores the warp's parts of
  /// the products in shared memory.
  CAVS_DEVICE void multiply(const MatrixTileWork& of, i32 matrix) const {
#pragma unroll
    for (int m = 0; m < kMatrices; m += PartSums::kMatrices)
      if (kMatrices <= PartSums::kMatrices || m == matrix) multiply_some(of, m);
  }

 private:
  static CAVS_DEVICE i32 part_of_warp(int p) { return p * kWarps + warp(); }
  /// See left_of_step(). Only the last step may be incomplete.
  static CAVS_DEVICE i32 left_of(const Panel& panel, int p, int s) {
    return left_of_step(panel, part_of_warp(p) % kParts, s);
  }

  CAVS_DEVICE void multiply_some(const MatrixTileWork& of, int matrix) const {
    constexpr int kCount = kMatrices < PartSums::kMatrices ? kMatrices : PartSums::kMatrices;
    float sums[kPartsOfWarp][kCount][4] = {};
#pragma unroll
    for (int p = 0; p < kPartsOfWarp; ++p) {
      MatrixRow row = of.row, row8 = of.row8;
      row.skip(part_of_warp(p) % kParts), row8.skip(part_of_warp(p) % kParts);
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        unsigned in[4];
        const i32 at = s * kParts * kDepthTogether;
        if (s < kSteps - 1)
          read_rows(in, row, row8, at);
        else
          read_rows(in, row, row8, at, at + left_of(of.panel, p, s));
        unsigned done = kNoNumber;
#pragma unroll
        for (int m = 0; m < kCount; ++m)
          if (matrix + m < kMatrices) {
            multiply_matrices(sums[p][m], in, weights[p][matrix + m][s]);
            done &= bits_of(sums[p][m][0]);
          }
        if (s % kStepsOfRows == kStepsOfRows - 1) row.from = after(row.from, done), row8.from = after(row8.from, done);
      }
    }
#pragma unroll
    for (int p = 0; p < kPartsOfWarp; ++p)
#pragma unroll
      for (int m = 0; m < kCount; ++m)
        if (matrix + m < kMatrices) put_part(part_of_warp(p), m, sums[p][m]);
  }
};

/// A MatrixTile whose weights are in shared memory. Each lane reads only words that it wrote, so no barrier is needed.
struct SharedMatrixTile {
  const TilePlace& place;
  const Panel& panel;  // a panel that is multiplied by the weight

  CAVS_DEVICE SharedMatrixTile(i32 tile, const Panel& of) : place(kTiles[tile]), panel(of) {}

  CAVS_DEVICE void read(const KernelArguments& a, const UnitRange& own) const {
#pragma unroll 1
    for (i32 part = warp(); part < kParts; part += kWarps)
#pragma unroll 1
      for (i32 m = 0; m < place.pieces; ++m) {
        const i32 number = m * kColumnsTogether + fragment_group(), unit = own.begin + quotient(number, panel.gates);
        MatrixColumn column(a.parameters, panel, kGates[panel.gate + number % panel.gates],
                            unit < own.end ? unit : panel.first, part);
#pragma unroll 1
        for (i32 s = 0; s < steps(); ++s) {
          unsigned weights[2];
          column.read(weights, left_of_step(panel, part, s));
          column.advance();
          store(word(part, m, s), weights[0]), store(word(part, m, s) + kThreads, weights[1]);
        }
      }
  }

  /// See MatrixTile::multiply().
  CAVS_DEVICE void multiply(const MatrixTileWork& of, i32 matrix) const {
#pragma unroll 1
    for (i32 part = warp(); part < kParts; part += kWarps) {
      float sums[PartSums::kMatrices][4] = {};
      MatrixRow row = of.row, row8 = of.row8;
      row.skip(part), row8.skip(part);
#pragma unroll 1
      for (i32 s = 0; s < steps(); ++s) {
        unsigned in[4];
        read_rows(in, row, row8, 0, left_of_step(panel, part, s));
        row.advance();
        row8.advance();
#pragma unroll
        for (int m = 0; m < PartSums::kMatrices; ++m) {
          if (matrix + m >= place.pieces) break;
          const unsigned* const at = word(part, matrix + m, s);
          const unsigned weights[2] = {load(at), load(at + kThreads)};
          multiply_matrices(sums[m], in, weights);
        }
      }
#pragma unroll
      for (int m = 0; m < PartSums::kMatrices; ++m)
        if (matrix + m < place.pieces) put_part(part, m, sums[m]);
    }
  }

 private:
  CAVS_DEVICE i32 steps() const { return (panel.k + kDepthTogether * kParts - 1) / (kDepthTogether * kParts); }
  /// Returns the address of the lane's first word of a step; its second word is kThreads words later.
  CAVS_DEVICE unsigned* word(i32 part, i32 m, i32 s) const {
    return shared_word(place.first + ((part / kWarps * place.pieces + m) * steps() + s) * 2);
  }
};

/// Multiplies all rows of the work by the units of a tile of Program (kernel.cuh). All tiles use this one copy of the
/// code that adds the parts.
template <typename Program>
CAVS_DEVICE void multiply_matrix_tile(const KernelArguments& a, const Program& program, const Work& work,
                                      const Panel& panel, const UnitRange& own, i32 tile) {
#pragma unroll 1
  for (i32 row = work.row_begin; row < work.row_end; row += kRowsTogether) {
    const MatrixTileWork of_tile(a, work, panel, own, row);
#pragma unroll 1
    for (i32 m = 0; m < of_tile.matrices(); m += PartSums::kMatrices) {
      program.multiply(of_tile, m, tile);
      sync();  // the parts have been stored
      of_tile.add_parts(row, m);
      sync();  // the parts have been added
    }
  }
}

}  // namespace cavs::cuda
