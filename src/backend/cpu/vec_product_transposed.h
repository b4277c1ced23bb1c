#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"
#include "backend/cpu/vec_product.h"
#include "backend/cpu/vec_transpose.h"

// Products with a weight read transposed, from the pack of the weight as it is declared: dot products of rows of x with
// rows of the slices. Column l of a slice is a link of lane l's chain of multiply-adds, over the slices of a part of
// the sum in their order from zero, factor after factor; then lanes l and l + 8 are added, then l and l + 4, 2, 1.
// Parts of the sum are added in pairs, then pairs of these. So the bits are the same for vectors of 4, 8 and 16 lanes,
// for every block of rows, and however the parts are shared.
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

/// Slices that are multiplied together, and the rows' numbers for them.
template <int kRows, int kSlices>
struct SliceGroup {
  const float* left[kSlices][kRows];
  const float* right[kSlices];
  const float* next[kSlices];  // what is multiplied afterwards: asked for meanwhile
};

/// Adds products of the slices' columns to the lanes; kVectors vectors of a slice at a time.
template <int kRows, int kSlices, int kVectors, bool kFirst>
void add_slices(const SliceGroup<kRows, kSlices>& group, int columns, DotLanes lanes) {
  for (int part = 0; part < kSlice; part += kVectors * kLanes) {
    Vec left[kSlices * kVectors][kRows];
    const float *right[kSlices], *next[kSlices];
    each<kSlices>([&](auto s) __attribute__((always_inline)) {
      right[s] = group.right[s] + part, next[s] = group.next[s];
      each<kVectors * kRows>([&](auto k) __attribute__((always_inline)) {
        left[s * kVectors + k / kRows][k % kRows] = load(group.left[s][k % kRows] + part + k / kRows * kLanes);
      });
    });
    for (std::int64_t c = 0; c < columns; ++c)
      each<kVectors>([&](auto v) __attribute__((always_inline)) {
        Vec sums[kRows];
        const auto place = [&](auto i) __attribute__((always_inline)) { return lanes[i][c] + part + v * kLanes; };
        each<kRows>([&](auto i) __attribute__((always_inline)) { sums[i] = kFirst ? Vec{} : load(place(i)); });
        each<kSlices>([&](auto s) __attribute__((always_inline)) {
          if constexpr (kRows == 1) __builtin_prefetch(next[s] + c * kSlice);
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

/// The sum of numbers of x[0], x[1]... from c on, added in pairs.
template <typename Load>
Vec sum_in_pairs(const float* const* x, int count, Load load_from) {
  Vec sums[kMostSumParts];
  for (int i = 0; i < count; ++i) sums[i] = load_from(x[i]);
  for (; count > 1; count /= 2)
    for (int i = 0; i < count / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
  return sums[0];
}

/// See Isa::add_sums.
inline void add_sums(const float* const* x, int count, int begin, int end, float* y, bool add) {
  int c = begin;
  for (; c + kLanes <= end; c += kLanes) {
    const Vec sum = sum_in_pairs(x, count, [c](const float* from) { return load(from + c); });
    store(y + c, add ? load(y + c) + sum : sum);
  }
  if (c == end) return;
  const int left = end - c;
  const Vec sum = sum_in_pairs(x, count, [c, left](const float* from) { return load_part(from + c, left); });
  store_part(y + c, left, add ? load_part(y + c, left) + sum : sum);
}

inline bool are_whole(const ViewedSlice* slices, int count) {
  for (int i = 0; i < count; ++i)
    if (slices[i].columns < kSlice) return false;
  return true;
}

/// Sums of some rows, by part of the sum; whole vectors are written, whatever columns there are.
template <int kRows>
using DotSums = float[kMostSumParts][kRows][kDotColumns];

/// Part `sum` of rows [row, row + kRows) times rows [column, column_end) of the slices.
template <int kRows>
void dot_part(const TransposedArgs& args, int sum, int row, int column, int column_end,
              float (&to)[kRows][kDotColumns]) {
  constexpr int kVectors = kRows <= 2 && kSliceVectors > 1 ? 2 : 1;
  constexpr int kSlices = kManyRegisters || kRows * kVectors <= 3 ? 4 : 2;
  DotMemory memory;
  const int columns = column_end - column;
  const std::int64_t first = std::int64_t{column} * kSlice;
  const DotLanes lanes = memory.lanes(args.factors[0].weight->of(sum).front().slice + first);
  bool is_first = true;
  for (const TransposedFactor* factor = args.factors; factor < args.factors + args.factor_count; ++factor) {
    const auto slices = factor->weight->of(sum);
    const ViewedSlice* const end = slices.data() + slices.size();
    float last[kRows][kSlice] = {};  // numbers for a slice that has fewer columns
    const auto take = [&](auto count, const ViewedSlice* from) {
      SliceGroup<kRows, count> group;
      const ViewedSlice* const after = end - from >= 2 * count ? from + count : slices.data();
      const std::int64_t next = after > from ? first : first + std::int64_t{kDotColumns} * kSlice;
      for (int s = 0; s < count; ++s) {
        group.right[s] = from[s].slice + first;
        group.next[s] = (end - after >= count ? after[s] : from[s]).slice + next;
        for (int i = 0; i < kRows; ++i) group.left[s][i] = factor->x[row + i] + from[s].column;
      }
      if (from->columns < kSlice)  // it is alone, and the only one
        for (int i = 0; i < kRows; ++i) {
          __builtin_memcpy(last[i], group.left[0][i], sizeof(float) * static_cast<unsigned>(from->columns));
          group.left[0][i] = last[i];
        }
      is_first ? add_slices<kRows, count, kVectors, true>(group, columns, lanes)
               : add_slices<kRows, count, kVectors, false>(group, columns, lanes);
      is_first = false;
    };
    const ViewedSlice* slice = slices.data();
    while (slice < end)
      if (end - slice >= kSlices && are_whole(slice, kSlices))
        take(Constant<kSlices>(), slice), slice += kSlices;
      else
        take(Constant<1>(), slice++);
  }
  for (int i = 0; i < kRows; ++i)
    for (int c = 0; c < columns; c += kLanes) store(to[i] + c, sums_of_lanes(lanes[i] + c));
}

/// Rows [row, row + kRows) times rows [column, column_end) of the slices, over all parts of the sum.
template <int kRows>
void dot_block(const TransposedArgs& args, int row, int column, int column_end) {
  alignas(64) DotSums<kRows> sums;
  const int parts = args.sum_end - args.sum_begin, columns = column_end - column;
  for (int s = 0; s < parts; ++s) dot_part<kRows>(args, args.sum_begin + s, row, column, column_end, sums[s]);
  for (int i = 0; i < kRows; ++i) {
    const float* x[kMostSumParts];
    for (int s = 0; s < parts; ++s) x[s] = sums[s][i];
    add_sums(x, parts, 0, columns, args.y + (row + i) * args.stride + column, args.add);
  }
}

inline void product_transposed(const TransposedArgs& args) {
  using Kernel = void (*)(const TransposedArgs&, int, int, int);
  static constexpr Kernel kKernels[] = {nullptr, dot_block<1>, dot_block<2>, dot_block<3>, dot_block<kDotRows>};
  for (int column = args.begin; column < args.end; column += kDotColumns) {
    const int column_end = args.end - column < kDotColumns ? args.end : column + kDotColumns;
    for (int row = 0; row < args.rows; row += kDotRows)
      kKernels[args.rows - row < kDotRows ? args.rows - row : kDotRows](args, row, column, column_end);
  }
}

}  // namespace cavs::cpu::CAVS_ISA
