// What the words of an entry say.
namespace cavs::cuda {

namespace math = cpu::device;

CAVS_DEVICE int lane() { return thread() % 32; }
CAVS_DEVICE int warp() { return thread() / 32; }
CAVS_DEVICE i32 smaller(i32 a, i32 b) { return a < b ? a : b; }
CAVS_DEVICE i32 larger(i32 a, i32 b) { return a > b ? a : b; }
CAVS_DEVICE i64 long_word(const i32* words) {
  const auto low = static_cast<unsigned>(load_fixed(words)), high = static_cast<unsigned>(load_fixed(words + 1));
  return static_cast<i64>(static_cast<unsigned long long>(high) << 32 | low);
}

/// Of numbers that are not negative.
CAVS_DEVICE i32 quotient(i32 a, i32 b) { return static_cast<i32>(static_cast<unsigned>(a) / static_cast<unsigned>(b)); }

/// The processor's units of a tile.
CAVS_DEVICE UnitRange units_of(const UnitRange* all) { return forget(all)[processor()]; }

/// Part `part` of `parts` of [0, count), each a multiple of `grain` but the last.
struct Range {
  i32 begin, end;
};
CAVS_DEVICE Range part_of(i32 count, int part, int parts, int grain) {
  const unsigned each = (static_cast<unsigned>(count) + static_cast<unsigned>(grain * parts) - 1) /
                        static_cast<unsigned>(grain * parts) * static_cast<unsigned>(grain);
  const unsigned long long begin = static_cast<unsigned long long>(each) * static_cast<unsigned>(part);
  const i32 first = begin < static_cast<unsigned>(count) ? static_cast<i32>(begin) : count;
  return {first, count - first < static_cast<i32>(each) ? count : first + static_cast<i32>(each)};
}

/// Calls f(row, column) for every `step`-th element of [rows, columns), from number `first` on: divides once.
template <typename F>
CAVS_DEVICE void each_pair(i32 first, i32 step, i32 rows, i32 columns, F f) {
  const auto width = static_cast<unsigned>(columns);
  i32 row = static_cast<i32>(static_cast<unsigned>(first) / width), column = first - row * columns;
  const i32 rows_of_step = static_cast<i32>(static_cast<unsigned>(step) / width);
  const i32 columns_of_step = step - rows_of_step * columns;
#pragma unroll 1
  while (row < rows) {
    f(row, column);
    row += rows_of_step, column += columns_of_step;
    if (column >= columns) column -= columns, ++row;
  }
}

/// Rows of an operand. What is listed as -1 is a row of zeros.
struct Operand {
  float* first;  // of row 0, which itself may lie outside
  const i32* list;
  const i32* segments;
  i32 stride, width;

  CAVS_DEVICE i32 row_number(i32 r) const { return list == nullptr ? r : load_fixed(list + r); }
  CAVS_DEVICE bool has(i32 r) const { return row_number(r) >= 0; }
  CAVS_DEVICE float* row(i32 r) const { return first + static_cast<i64>(row_number(r)) * stride; }
  /// Where the row is; nullptr: it is zeros.
  CAVS_DEVICE const float* find(i32 r) const {
    const i32 number = row_number(r);
    return number < 0 ? nullptr : first + static_cast<i64>(number) * stride;
  }
  CAVS_DEVICE float at(i32 r, i32 c) const {
    const float* const found = find(r);
    return found == nullptr ? 0.0F : load(found + c);
  }
  CAVS_DEVICE void put(i32 r, i32 c, float x) const { store(row(r) + c, x); }
  CAVS_DEVICE i32 begin_of(i32 r) const { return load_fixed(segments + r); }
  CAVS_DEVICE i32 end_of(i32 r) const { return load_fixed(segments + r + 1); }
};

/// The words of an entry.
struct Entry {
  const i32* all;    // of the minibatch
  const i32* words;  // its own

  CAVS_DEVICE i32 operator[](int word) const { return load_fixed(words + word); }
  CAVS_DEVICE const i32* attributes() const { return all + (*this)[kAttributesWord]; }
  CAVS_DEVICE i32 attribute(int number) const { return load_fixed(attributes() + number); }
  CAVS_DEVICE const i32* list(int attribute_number) const {
    const i32 position = attribute(attribute_number);
    return position == 0 ? nullptr : all + position;
  }
  CAVS_DEVICE bool is(int flag) const { return ((*this)[kFlagsWord] & flag) != 0; }
};

/// What is found through it takes no registers from one entry to the next.
CAVS_DEVICE Entry entry_of(const KernelArguments& a, i32 number) {
  const i32* const words = forget(a.words);
  return {words, words + load_fixed(words + kEntriesWord) + number * kEntryWords};
}

/// Without branches, as every operand is found so.
CAVS_DEVICE float* memory_of(const KernelArguments& a, i32 buffer, i32 port) {
  float* memory = a.arena;
  memory = buffer == kParameterBuffer ? a.parameters : memory;
  memory = buffer == kGradientBuffer ? a.gradients : memory;
  memory = buffer == kLossGradientBuffer
               ? const_cast<float*>(reinterpret_cast<const float*>(a.words + kLossGradientWord))
               : memory;
  if (kHasPulls && buffer == kPullBuffer) memory = const_cast<float*>(a.pulls[port]);
  return memory;
}

CAVS_DEVICE Operand operand_at(const KernelArguments& a, const i32* words) {
  const i32 list = load_fixed(words + kListWord), segments = load_fixed(words + kSegmentsWord);
  return {memory_of(a, load_fixed(words + kBufferWord), load_fixed(words + kPortWord)) + long_word(words + kOffsetWord),
          list == 0 ? nullptr : a.words + list, segments == 0 ? nullptr : a.words + segments,
          load_fixed(words + kStrideWord), load_fixed(words + kWidthWord)};
}
CAVS_DEVICE Operand operand_of(const KernelArguments& a, const i32* operands, int number) {
  return operand_at(a, operands + number * kOperandWords);
}
CAVS_DEVICE Operand operand(const KernelArguments& a, const Entry& entry, int number) {
  return operand_of(a, a.words + entry[kOperandsWord], number);
}
CAVS_DEVICE i32 width_of(const i32* operands, int number) {
  return load_fixed(operands + number * kOperandWords + kWidthWord);
}

/// Of a factor: as bf16 has it, where the kernel multiplies so.
CAVS_DEVICE float rounded(float x) { return kBf16 ? float_of(pack_bf16(x, 0) << 16) : x; }

CAVS_DEVICE void put_product(const Operand& y, i32 row, i32 column, float sum, bool add) {
  float* const to = y.row(row) + column;
  store(to, add ? load(to) + sum : sum);
}

/// What the processor has to do of an entry.
struct Work {
  i32 row_begin, row_end;
  i32 column_begin, column_end;  // of what columns share; else all there are
  i32 part, parts;               // of what is written, where the kernel shares it
};

CAVS_DEVICE Work work_of(const KernelArguments& a, const Entry& entry) {
  constexpr i32 kAllColumns = 0x7FFFFFFF;
  Work work{entry[kRowBeginWord], entry[kRowEndWord], 0, kAllColumns, processor(), processors()};
  const i32 share = entry[kShareWord];
  if (share == kShareOne) work.part = 0, work.parts = 1;
  if (share == kShareColumns || share == kShareRows) {
    const i32* const own = a.words + entry[kOwnerWord] + 2 * processor();
    const i32 begin = load_fixed(own), end = load_fixed(own + 1);
    if (share == kShareColumns)
      work.column_begin = begin, work.column_end = end;
    else
      work.row_begin = begin, work.row_end = end;
  }
  return work;
}

/// Calls f(row, column) for the processor's rows and its columns below `width`, a thread each.
template <typename F>
CAVS_DEVICE void each_element(const Work& work, i32 width, F f) {
  const i32 end = smaller(work.column_end, width), columns = end - work.column_begin;
  if (columns <= 0) return;
  each_pair(thread(), kThreads, work.row_end - work.row_begin, columns,
            [&](i32 r, i32 c) { f(work.row_begin + r, work.column_begin + c); });
}

/// Calls f(row) for the processor's rows, a warp each.
template <typename F>
CAVS_DEVICE void each_row(const Work& work, F f) {
#pragma unroll 1
  for (i32 r = work.row_begin + warp(); r < work.row_end; r += kWarps) f(r);
}

/// Over the lanes of a warp, always in this order.
template <typename T>
CAVS_DEVICE T warp_sum(T x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x += shuffle_xor(x, mask);
  return x;
}
CAVS_DEVICE float warp_max(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x = math::max(x, shuffle_xor(x, mask));
  return x;
}
CAVS_DEVICE i32 warp_min(i32 x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x = smaller(x, shuffle_xor(x, mask));
  return x;
}

}  // namespace cavs::cuda
