#pragma once

// Descriptions of products of any two matrices.

#include "backend/cuda/entries/device/operands.cuh"

namespace cavs::cuda {

/// Returns the offset of a line of a factor. @param lines  number of lines; later lines are zeros
/// @param number  set to the line's row in the operand; negative if the line is zeros
CAVS_DEVICE i64 find_line(const BlockFactor& f, i32 line, i32 lines, i32& number) {
  i32 row = f.begin + line, before = 0;
  if (f.lines_of_row > 1) {
    const i32 all = row;
    row = quotient(all, f.lines_of_row), before = (all - row * f.lines_of_row) * f.width;
  }
  number = load_listed(line < lines ? f.list : nullptr, row, line < lines ? row : -1);
  return static_cast<i64>(number) * f.stride + before;
}

/// Returns the rows of an operand as the left factor of a product.
CAVS_DEVICE BlockFactor rows_of(const Operand& x, i32 rows, i32 begin) {
  return {x.first, x.halves, x.list, rows, 1, x.stride, begin, 1, 0};
}
/// Returns a weight as the right factor. @param number  index in the parameters of its first number
CAVS_DEVICE BlockFactor weight_of(const KernelArguments& a, i32 parameter, i64 number, i32 columns, bool along_depth,
                                  i32 stride) {
  return {parameters_of(a, parameter) + number,
          kKeepsHalves ? a.weight_halves + number : nullptr,
          nullptr,
          columns,
          along_depth ? 1 : 0,
          stride,
          0,
          1,
          0};
}
CAVS_DEVICE BlockResult result_of(const Operand& y, i32 column, i32 begin, const float* bias = nullptr) {
  return {y.first + column, y.halves == nullptr ? nullptr : y.halves + column, y.list, bias, y.stride, begin};
}

/// Sets the current product. All threads of the processor must call it.
CAVS_DEVICE void describe(const BlockProduct& product) {
  sync();  // the last product is done
  if (thread() == 0) store(&shared<BlockMemory>().product, product);
  sync();
}

/// Describes product `number` of an entry: the entry's rows times one gate of its panels.
/// @param dealt  dealt(rows, column) is the number of tiles in `column` columns. It determines the processor of the
/// gate's first tile. So gates are spread over processors, and the processor that wrote a tile also adds to it.
/// @return false if there is no such product
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
  constexpr i32 kApart = 16 * 64;  // distance between columns of different operands
  const bool along = gate.k_stride == 1;
  describe({rows_of(operand(panel.in), rows, work.row_begin),
            weight_of(a, gate.parameter, gate.weight, panel.units, along, along ? gate.column_stride : gate.k_stride),
            result_of(operand(gate.out), gate.column, work.row_begin), panel.k, gate.add,
            (work.part + dealt(rows, gate.column + gate.out * kApart)) % work.parts, work.parts});
  return true;
}

}  // namespace cavs::cuda
