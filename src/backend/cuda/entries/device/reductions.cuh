#pragma once

// Sums over rows, for gradients of parameters. Blocks of rows are summed from zero and then added in order, so that
// long sums stay accurate, and results are bit-identical with any number of processors.

#include "backend/cuda/entries/device/products.cuh"

namespace cavs::cuda {

/// Returns a sum over rows: sum = f(row, sum) in each block of rows, from zero. Blocks are added in order.
template <typename F>
CAVS_DEVICE float sum_of_blocks(i32 begin, i32 end, F f) {
  float total = 0;
#pragma unroll 1
  for (i32 block = begin; block < end; block += kSumRowsOfBlock) {
    float sum = 0;
    const i32 last = end - block < kSumRowsOfBlock ? end : block + kSumRowsOfBlock;
#pragma unroll 1
    for (i32 r = block; r < last; ++r) sum = f(r, sum);
    total = block == begin ? sum : total + sum;
  }
  return total;
}

CAVS_DEVICE void put_sum(float* to, float sum, bool adds) { store(to, adds ? load(to) + sum : sum); }

/// Calls f(number) for the processor's part of `count` numbers. Each call is on one thread.
template <typename F>
CAVS_DEVICE void each_number(const Work& work, i32 count, F f) {
  const Range own = part_of(count, work.part, work.parts, 32);
#pragma unroll 1
  for (i32 i = own.begin + thread(); i < own.end; i += kThreads) f(i);
}

/// Describes the product out [k, n] = sum of x^T dy over all rows. Attribute 0 is the number of matrix rows in a row.
CAVS_DEVICE void describe_weight_gradient(const Work& work, const Entry& entry, const Operand& x, const Operand& dy,
                                          const Operand& out) {
  const i32 split = entry.attribute(0), k = x.width / split, n = dy.width / split, begin = work.row_begin * split;
  describe({{x.first, x.halves, x.list, k, 0, x.stride, begin, split, k},
            {dy.first, dy.halves, dy.list, n, 0, dy.stride, begin, split, n},
            {out.first, nullptr, nullptr, nullptr, n, 0},
            (work.row_end - work.row_begin) * split,
            entry.is(kAdds) ? 1 : 0,
            work.part,
            work.parts});
}

/// Calls put(column, sum) for columns of x, in groups of 32: every `parts`-th group, from group `part`. A lane sums a
/// column, and a warp sums a block of the rows [begin, end). All threads of the processor must call it.
template <typename Put>
CAVS_DEVICE void sum_columns(const Operand& x, i32 begin, i32 end, i32 part, i32 parts, Put put) {
  auto& memory = shared<BlockMemory>().columns;
  sync();  // shared memory is free
#pragma unroll 1
  for (i32 column = part * 32 + lane(); column - lane() < x.width; column += parts * 32) {
    float total = 0;
#pragma unroll 1
    for (i32 first = begin; first < end; first += kWarps * kSumRowsOfBlock) {
      const i32 block = first + warp() * kSumRowsOfBlock, last = smaller(end, block + kSumRowsOfBlock);
      float sum = 0;
#pragma unroll 1
      for (i32 r = block; r < last; r += kRowsAtOnce) {
        const i32 rows = column < x.width ? smaller(kRowsAtOnce, last - r) : 0;
#pragma unroll 4
        for (i32 i = 0; i < rows; ++i) {
          const i32 row = x.row_number(r + i);
          copy_to_shared(&memory.of_rows[warp()][i][lane()], x.row_of(row) + column, row);
        }
        copies_arrive();
#pragma unroll 4
        for (i32 i = 0; i < rows; ++i) sum = sum + float_of(load(&memory.of_rows[warp()][i][lane()]));
      }
      sync();  // the previous contents have been added
      store(&memory.of_blocks[warp()][lane()], bits_of(sum));
      sync();  // the sums of the blocks have been stored
#pragma unroll 1
      for (i32 w = 0; warp() == 0 && w < kWarps; ++w) total = total + float_of(load(&memory.of_blocks[w][lane()]));
    }
    if (warp() == 0 && column < x.width) put(column, total);
  }
}

CAVS_DEVICE void sum_rows(const Work& work, const Entry& entry, const Operand& x, const Operand& out) {
  float* const to = out.first;
  sum_columns(x, work.row_begin, work.row_end, work.part, work.parts,
              [&](i32 column, float sum) { put_sum(to + column, sum, entry.is(kAdds)); });
}

/// Adds the rows of a lookup's gradient to the rows of the table. The rows are grouped by table row.
CAVS_DEVICE void lookup_gradient(const Work& work, const Entry& entry, const Operand& dy, const Operand& table) {
  const i32 *const table_rows = entry.list(kTableRows), *const offsets = entry.list(kTableOffsets);
  const i32* const rows = entry.list(kLookedUp);
  float* const to = table.first;
  each_number(work, entry.attribute(kTableCount) * dy.width, [&](i32 i) {
    const i32 group = quotient(i, dy.width), c = i - group * dy.width;
    const float sum = sum_of_blocks(load_fixed(offsets + group), load_fixed(offsets + group + 1),
                                    [&](i32 j, float partial) { return partial + dy.at(load_fixed(rows + j), c); });
    put_sum(to + static_cast<i64>(load_fixed(table_rows + group)) * dy.width + c, sum, true);
  });
}

}  // namespace cavs::cuda
