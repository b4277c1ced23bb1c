#pragma once

// Products of any two matrices: what is multiplied, and with what.

#include "backend/cuda/entries/device/operands.cuh"

namespace cavs::cuda {

/// Where a line of a factor lies, and in `number` whether there is one: below 0, else.
CAVS_DEVICE const float* find_line(const BlockFactor& f, i32 line, i32 lines, i32& number) {
  i32 row = f.begin + line, before = 0;
  if (f.lines_of_row > 1) {
    const i32 all = row;
    row = quotient(all, f.lines_of_row), before = (all - row * f.lines_of_row) * f.width;
  }
  number = load_listed(line < lines ? f.list : nullptr, row, line < lines ? row : -1);
  return f.first + static_cast<i64>(number) * f.stride + before;
}

/// Sets what is multiplied next. All threads of the processor.
CAVS_DEVICE void describe(const BlockProduct& product) {
  sync();  // nobody needs the last one
  if (thread() == 0) store(&shared<BlockMemory>().product, product);
  sync();
}

/// The number-th product of an entry: its rows with a gate of its panels.
/// @param dealt  dealt(rows, column): tiles of so many columns. The first tile's processor depends on where the gate's
///               columns go, so that gates are not all dealt to the same ones, and what adds to a tile is by whom it is
///               from.
/// @return there is one
template <typename Dealt>
CAVS_DEVICE bool describe_gate(const KernelArguments& a, const Entry& entry, const Work& work, i32 number,
                               Dealt dealt) {
  i32 p = entry[kNumberWord];
  const i32 g = kPanels[p].gate + number, end = entry.attribute(0), rows = work.row_end - work.row_begin;
#pragma unroll 1
  while (p < end && g >= kPanels[p].gate + kPanels[p].gates) ++p;
  if (p == end) return false;
  const Panel& panel = kPanels[p];
  const Gate& gate = kGates[g];
  constexpr i32 kApart = 16 * 64;  // what goes to different operands
  const i32 along_depth = gate.k_stride == 1 ? 1 : 0;
  const Operand x = operand(panel.in), y = operand(gate.out);
  describe({{x.first, x.list, rows, 1, x.stride, work.row_begin, 1, 0},
            {a.parameters + gate.weight, nullptr, panel.units, along_depth,
             along_depth != 0 ? gate.column_stride : gate.k_stride, 0, 1, 0},
            {y.first + gate.column, y.list, nullptr, y.stride, work.row_begin},
            panel.k,
            gate.add,
            (work.part + dealt(rows, gate.column + gate.out * kApart)) % work.parts,
            work.parts});
  return true;
}

}  // namespace cavs::cuda
