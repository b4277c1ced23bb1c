#pragma once

// Functions that read the words of an entry.

#include "backend/cuda/device/warps.cuh"
#include "backend/cuda/entries/device/program.cuh"
#include "backend/cuda/entries/kernel_arguments.h"
#include "backend/cuda/entries/packed_script.h"

namespace cavs::cuda {

CAVS_DEVICE i64 long_word(const i32* words) {
  const auto low = static_cast<unsigned>(load_fixed(words)), high = static_cast<unsigned>(load_fixed(words + 1));
  return static_cast<i64>(static_cast<unsigned long long>(high) << 32 | low);
}

/// Returns the units of a tile that the processor has.
CAVS_DEVICE UnitRange units_of(i32 tile) { return forget(kUnitsOfTiles)[tile * processors() + processor()]; }

/// Numbers from begin to end - 1.
struct Range {
  i32 begin, end;
};
/// Returns part `part` of `parts` of [0, count). Sizes of parts are multiples of `grain`, except for the last part.
CAVS_DEVICE Range part_of(i32 count, int part, int parts, int grain) {
  const unsigned each = (static_cast<unsigned>(count) + static_cast<unsigned>(grain * parts) - 1) /
                        static_cast<unsigned>(grain * parts) * static_cast<unsigned>(grain);
  const unsigned long long begin = static_cast<unsigned long long>(each) * static_cast<unsigned>(part);
  const i32 first = begin < static_cast<unsigned>(count) ? static_cast<i32>(begin) : count;
  return {first, count - first < static_cast<i32>(each) ? count : first + static_cast<i32>(each)};
}

/// The words of an entry.
struct Entry {
  const i32* all;    // words of the minibatch
  const i32* words;  // words of the entry

  CAVS_DEVICE i32 operator[](int word) const { return load_fixed(words + word); }
  CAVS_DEVICE const i32* attributes() const { return all + (*this)[kAttributesWord]; }
  CAVS_DEVICE i32 attribute(int number) const { return load_fixed(attributes() + number); }
  CAVS_DEVICE const i32* list(int attribute_number) const {
    const i32 position = attribute(attribute_number);
    return position == 0 ? nullptr : all + position;
  }
  CAVS_DEVICE bool is(int flag) const { return ((*this)[kFlagsWord] & flag) != 0; }
};

/// Hides the entry from the optimiser, so that it occupies no registers before its use.
CAVS_DEVICE Entry forget(const Entry& entry) { return {forget(entry.all), forget(entry.words)}; }

/// Returns an entry. Data that are read through it occupy no registers from one entry to the next.
CAVS_DEVICE Entry entry_of(const KernelArguments& a, i32 number) {
  const i32* const words = forget(a.words);
  return {words, words + load_fixed(words + kEntriesWord) + number * kEntryWords};
}

/// The part of an entry that the processor does.
struct Work {
  i32 row_begin, row_end;
  i32 column_begin, column_end;  // the processor's columns; all columns if they are not shared
  i32 part, parts;               // the processor has part `part` of `parts`, if the kernel divides the output

  /// number() and step() divide rows among threads (or warps), of which a block has `of_block`: a thread begins with
  /// row number(its own number), and continues step() rows later.
  CAVS_DEVICE i32 number(i32 own, i32 of_block) const { return kIndependent ? part * of_block + own : own; }
  CAVS_DEVICE i32 step(i32 of_block) const { return kIndependent ? parts * of_block : of_block; }
};

CAVS_DEVICE Work work_of(const KernelArguments& a, const Entry& entry) {
  constexpr i32 kAllColumns = 0x7FFFFFFF;
  Work work{entry[kRowBeginWord], entry[kRowEndWord], 0, kAllColumns, processor(), processors()};
  if constexpr (kIndependent) return work;
  const i32 share = entry[kShareWord];
  if (share == kShareOne) {
    work.part = 0;
    work.parts = 1;
  }
  if (share == kShareColumns || share == kShareRows) {
    const i32* const own = a.words + entry[kOwnerWord] + 2 * processor();
    const i32 begin = load_fixed(own), end = load_fixed(own + 1);
    if (share == kShareColumns) {
      work.column_begin = begin;
      work.column_end = end;
    } else {
      work.row_begin = begin;
      work.row_end = end;
    }
  }
  return work;
}

/// Calls f(row, column) for the processor's rows, and for its columns below `width`. Each call is on one thread.
template <typename F>
CAVS_DEVICE void each_element(const Work& work, i32 width, F f) {
  const i32 end = smaller(work.column_end, width), columns = end - work.column_begin;
  if (columns <= 0) return;
  each_pair(work.number(thread(), kThreads), work.step(kThreads), work.row_end - work.row_begin, columns,
            [&](i32 r, i32 c) { f(work.row_begin + r, work.column_begin + c); });
}

/// Calls f(row) for the processor's rows. Each call is on one warp.
template <typename F>
CAVS_DEVICE void each_row(const Work& work, F f) {
#pragma unroll 1
  for (i32 r = work.row_begin + work.number(warp(), kWarps); r < work.row_end; r += work.step(kWarps)) f(r);
}

}  // namespace cavs::cuda
