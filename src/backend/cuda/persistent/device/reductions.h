// Sums over rows, which make gradients of parameters. Rows are summed in blocks from zero, then the blocks are added in
// order, so that long sums keep their last digits. Each number is one thread's, so its bits depend on the rows alone.
namespace cavs::cuda {

/// The sum of f(row, sum) folded over rows, block by block, from zero.
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

/// Calls f(number) for the processor's numbers of `count`, a thread each.
template <typename F>
CAVS_DEVICE void each_number(const Work& work, i32 count, F f) {
  const Range own = part_of(count, work.part, work.parts, 32);
#pragma unroll 1
  for (i32 i = own.begin + thread(); i < own.end; i += kThreads) f(i);
}

/// out [k, n] = the sum of x^T dy over all rows, each of so many rows of matrices.
CAVS_DEVICE void weight_gradient(const Work& work, const Entry& entry, const Operand& x, const Operand& dy,
                                 const Operand& out) {
  const i32 split = entry.attribute(0), k = x.width / split, n = dy.width / split;
  float* const to = out.first;
  each_number(work, k * n, [&](i32 i) {
    const i32 row = quotient(i, n), column = i - row * n;
    const float sum = sum_of_blocks(work.row_begin * split, work.row_end * split, [&](i32 r, float partial) {
      const i32 of = quotient(r, split), part = r - of * split;
      return multiply_add(rounded(x.at(of, part * k + row)), rounded(dy.at(of, part * n + column)), partial);
    });
    put_sum(to + i, sum, entry.is(kAdds));
  });
}

CAVS_DEVICE void sum_rows(const Work& work, const Entry& entry, const Operand& x, const Operand& out) {
  float* const to = out.first;
  each_number(work, x.width, [&](i32 c) {
    const float sum =
        sum_of_blocks(work.row_begin, work.row_end, [&](i32 r, float partial) { return partial + x.at(r, c); });
    put_sum(to + c, sum, entry.is(kAdds));
  });
}

/// Adds the rows of a lookup's gradient to the rows of its table, grouped by these.
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
