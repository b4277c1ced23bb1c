#pragma once

// Entries whose operations work row by row or element by element.

#include "backend/cuda/device/element_operations.cuh"
#include "backend/cuda/device/row_operations.cuh"
#include "backend/cuda/device/windows.cuh"
#include "backend/cuda/entries/device/operands.cuh"

namespace cavs::cuda {

/// The operands and attributes of an entry, with the processor's part of the entry.
struct EntryOperands {
  Entry entry;
  const Work& work;
  i32 operation;
  i32 first = 0;  // number of the operation's first operand

  CAVS_DEVICE Operand x(i32 number) const { return operand(first + number); }
  /// Delays the reading of operands until `common` is known, see after().
  CAVS_DEVICE void wait_for(unsigned common) { first = after(first, common); }
  CAVS_DEVICE float number() const { return float_of(static_cast<unsigned>(entry.attribute(kNumberAttribute))); }
  CAVS_DEVICE i32 matrix_rows() const { return entry.attribute(kMatrixRows); }
  CAVS_DEVICE const i32* labels() const { return entry.list(kLabels); }
  CAVS_DEVICE i32 mask() const { return entry.attribute(kMask); }
  CAVS_DEVICE const i32* samples() const { return entry.list(kSamples); }
  CAVS_DEVICE const i32* vertices() const { return entry.list(kVertices); }
  CAVS_DEVICE DropoutKey dropout_key() const {
    const auto header = [&](int word) { return static_cast<unsigned>(load_fixed(entry.all + word)); };
    return {header(kSeedWord), header(kSeedHighWord), header(kEpochWord)};
  }
  CAVS_DEVICE Window window() const {
    const auto number = [&](int i) { return entry.attribute(kWindow + i); };
    return {number(0), number(1), number(2), number(3), number(4), number(5), number(6)};
  }
  template <typename F>
  CAVS_DEVICE void each_row(F f) const {
    cuda::each_row(work, f);
  }
  template <typename F>
  CAVS_DEVICE void each_element(i32 width, F f) const {
    cuda::each_element(work, width, f);
  }
};

using Rows = RowOperations<EntryOperands>;
using Elements = ElementOperations<EntryOperands>;
using Windows = WindowOperations<EntryOperands>;

/// Runs an entry by rows or elements. All element-wise operations share one loop: compile time grows with inlined text.
template <typename Program>
CAVS_DEVICE void run_rows(const Entry& entry, const Work& work) {
  const i32 operation = entry[kOperationWord];
  if (Program::run_rows({entry, work, operation})) return;
  each_element(work, operand(entry[kOperandCountWord] - 1).width, [&](i32 r, i32 c) {
    Program::run_element({forget(entry), work, operation, forget(0)}, r, c);
  });
}

}  // namespace cavs::cuda
