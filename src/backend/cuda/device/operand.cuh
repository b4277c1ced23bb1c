#pragma once

#include "backend/cuda/entries/device/program.cuh"

namespace cavs::cuda {

/// True if values that products read are also stored in bf16.
constexpr bool kKeepsHalves = kBf16 && kIndependent;
using Half = unsigned short;
CAVS_DEVICE Half half_of(float x) { return static_cast<Half>(pack_bf16(x, 0)); }

/// The rows of an operand (see OperandWord).
struct alignas(16) Operand {
  float* first;         // row 0, which itself may be outside of the buffer
  Half* halves;         // the numbers in bf16, for products; nullptr if they are not stored
  const i32* list;      // [rows] number of the row to use, or -1 for zeros; nullptr: row r itself
  const i32* segments;  // row r has rows [segments[r], segments[r + 1]); nullptr if not used
  i32 stride, width;    // floats from row to row; floats per row

  CAVS_DEVICE i32 row_number(i32 r) const { return load_listed(list, r, r); }
  CAVS_DEVICE bool has(i32 r) const { return row_number(r) >= 0; }
  CAVS_DEVICE float* row(i32 r) const { return row_of(row_number(r)); }
  CAVS_DEVICE float* row_of(i32 number) const { return first + static_cast<i64>(number) * stride; }
  /// Returns the address of row r; nullptr if it is a row of zeros.
  CAVS_DEVICE const float* find(i32 r) const {
    const i32 number = row_number(r);
    return number < 0 ? nullptr : row_of(number);
  }
  CAVS_DEVICE float at(i32 r, i32 c) const {
    const i32 number = row_number(r);
    return load_or_zero(row_of(number) + c, number);
  }
  CAVS_DEVICE void put(i32 r, i32 c, float x) const { put_at(static_cast<i64>(row_number(r)) * stride + c, x); }
  CAVS_DEVICE void put_at(i64 number, float x) const {
    store(first + number, x);
    if constexpr (kKeepsHalves)
      if (halves != nullptr) store(halves + number, half_of(x));
  }
  CAVS_DEVICE i32 begin_of(i32 r) const { return load_fixed(segments + r); }
  CAVS_DEVICE i32 end_of(i32 r) const { return load_fixed(segments + r + 1); }
};

}  // namespace cavs::cuda
