#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"
#include "backend/cpu/vec_product.h"
#include "backend/cpu/vec_transpose.h"

// Products with a weight read transposed, from the pack of the weight as it is declared: dot products of rows of x with
// rows of the slices. Column 16 i + l of kTransposedDepth columns is a link of lane l's chain of multiply-adds, over
// ascending i from zero; then lanes l and l + 8 are added, then l and l + 4, 2, 1; then what the next kTransposedDepth
// columns come to is added. So the bits are the same for vectors of 4, 8 and 16 lanes, and for every block of rows.
namespace cavs::cpu::CAVS_ISA {

inline constexpr int kDotRows = kManyRegisters ? 4 : 3;  // whose part of some slices stays in registers
inline constexpr int kDotColumns = 64;                   // of the result: what a block of the slices' rows makes

/// The lanes of a block of sums, by row.
using DotLanes = float (*)[kDotColumns][kSlice];

/// Memory for them, half a page off the slices: a load waits for every earlier store whose address ends in the same 12
/// bits, as if it were to the same place, which costs up to a third of the time.
struct DotMemory {
  static constexpr std::uintptr_t kPage = 4096, kLine = 64;
  alignas(kLine) float floats[kDotRows * kDotColumns * kSlice + kPage / sizeof(float)];

  DotLanes lanes(const float* slice) {
    const auto here = reinterpret_cast<std::uintptr_t>(floats), there = reinterpret_cast<std::uintptr_t>(slice);
    return reinterpret_cast<DotLanes>(floats + (there + kPage / 2 - here) % kPage / kLine * kLine / sizeof(float));
  }
};

/// Adds products of kSlices slices' columns to the lanes; kVectors vectors of a slice at a time.
template <int kRows, int kSlices, int kVectors, bool kFirst>
void add_slices(const float* const* x, const float* const* slices, int columns, DotLanes lanes) {
  for (int part = 0; part < kSlice; part += kVectors * kLanes) {
    Vec left[kSlices * kVectors][kRows];
    const float* right[kSlices];
    each<kSlices>([&](auto s) __attribute__((always_inline)) {
      right[s] = slices[s] + part;
      each<kVectors * kRows>([&](auto k) __attribute__((always_inline)) {
        left[s * kVectors + k / kRows][k % kRows] = load(x[k % kRows] + s * kSlice + part + k / kRows * kLanes);
      });
    });
    for (std::int64_t c = 0; c < columns; ++c)
      each<kVectors>([&](auto v) __attribute__((always_inline)) {
        Vec sums[kRows];
        const auto place = [&](auto i) __attribute__((always_inline)) { return lanes[i][c] + part + v * kLanes; };
        each<kRows>([&](auto i) __attribute__((always_inline)) { sums[i] = kFirst ? Vec{} : load(place(i)); });
        each<kSlices>([&](auto s) __attribute__((always_inline)) {
          const Vec r = load(right[s] + c * kSlice + v * kLanes);
          each<kRows>([&](auto i)
                          __attribute__((always_inline)) { sums[i] = fma(left[s * kVectors + v][i], r, sums[i]); });
        });
        each<kRows>([&](auto i) __attribute__((always_inline)) { store(place(i), sums[i]); });
      });
  }
}

/// Lane i of v[0] becomes the sum of the lanes of v[i], of kLanes vectors.
template <int kStep>
inline __attribute__((always_inline)) void add_lanes(Vec* v) {
  each<kStep>([&](auto i) __attribute__((always_inline)) {
    exchange<kStep>(v[i], v[i + kStep], std::make_integer_sequence<int, kLanes>());
    v[i] += v[i + kStep];
  });
  if constexpr (kStep > 1) add_lanes<kStep / 2>(v);
}

/// The sum of the lanes of kLanes numbers side by side.
inline Vec sums_of_lanes(const float (*lanes)[kSlice]) {
  Vec v[kLanes];
  each<kLanes>([&](auto i) __attribute__((always_inline)) {
    Vec parts[kSliceVectors];
    each<kSliceVectors>([&](auto k) __attribute__((always_inline)) { parts[k] = load(lanes[i] + k * kLanes); });
    if constexpr (kSliceVectors > 2) each<2>([&](auto k) __attribute__((always_inline)) { parts[k] += parts[k + 2]; });
    v[i] = parts[0];
    if constexpr (kSliceVectors > 1) v[i] += parts[1];
  });
  add_lanes<kLanes / 2>(v);
  return v[0];
}

/// The sums of the lanes of some columns, to y.
inline void add_lanes_to(float (*lanes)[kSlice], int columns, bool add, float* y) {
  int c = 0;
  for (; c + kLanes <= columns; c += kLanes) {
    const Vec sums = sums_of_lanes(lanes + c);
    store(y + c, add ? load(y + c) + sums : sums);
  }
  if (c == columns) return;
  for (int k = columns; k < c + kLanes; ++k)
    for (int lane = 0; lane < kSlice; ++lane) lanes[k][lane] = 0;
  const Vec sums = sums_of_lanes(lanes + c);
  store_part(y + c, columns - c, add ? load_part(y + c, columns - c) + sums : sums);
}

/// Rows [row, row + kRows) times rows [column, column_end) of the slices, over [begin, end) of n.
template <int kRows>
void dot_block(const TransposedArgs& args, int row, int column, int column_end, int begin, int end) {
  constexpr int kVectors = kRows <= 2 && kSliceVectors > 1 ? 2 : 1;
  constexpr int kSlices = kManyRegisters || kRows * kVectors <= 3 ? 4 : 2;
  DotMemory memory;
  const int columns = column_end - column;
  const std::int64_t first = std::int64_t{column} * kSlice;
  const DotLanes lanes = memory.lanes(args.slices[begin / kSlice] + first);
  const float* x[kRows];
  for (int i = 0; i < kRows; ++i) x[i] = args.x[row + i] + begin;
  const auto take = [&](auto slices, int n) {
    const float* right[slices];
    for (int s = 0; s < slices; ++s) right[s] = args.slices[n / kSlice + s] + first;
    n == begin ? add_slices<kRows, slices, kVectors, true>(x, right, columns, lanes)
               : add_slices<kRows, slices, kVectors, false>(x, right, columns, lanes);
    for (int i = 0; i < kRows; ++i) x[i] += slices * kSlice;
  };
  int n = begin;
  for (; n + kSlices * kSlice <= end; n += kSlices * kSlice) take(Constant<kSlices>(), n);
  for (; n + kSlice <= end; n += kSlice) take(Constant<1>(), n);
  if (n < end) {
    float last[kRows][kSlice] = {};
    for (int i = 0; i < kRows; ++i) {
      __builtin_memcpy(last[i], x[i], sizeof(float) * static_cast<unsigned>(end - n));
      x[i] = last[i];
    }
    take(Constant<1>(), n);
  }
  for (int i = 0; i < kRows; ++i)
    add_lanes_to(lanes[i], columns, args.add || begin > 0, args.y + (row + i) * args.stride + column);
}

inline void product_transposed(const TransposedArgs& args) {
  using Kernel = void (*)(const TransposedArgs&, int, int, int, int, int);
  static constexpr Kernel kKernels[] = {nullptr, dot_block<1>, dot_block<2>, dot_block<3>, dot_block<kDotRows>};
  for (int begin = 0; begin < args.n; begin += kTransposedDepth) {
    const int end = args.n - begin < kTransposedDepth ? args.n : begin + kTransposedDepth;
    for (int column = args.begin; column < args.end; column += kDotColumns) {
      const int column_end = args.end - column < kDotColumns ? args.end : column + kDotColumns;
      for (int row = 0; row < args.rows; row += kDotRows)
        kKernels[args.rows - row < kDotRows ? args.rows - row : kDotRows](args, row, column, column_end, begin, end);
    }
  }
}

}  // namespace cavs::cpu::CAVS_ISA
