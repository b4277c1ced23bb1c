#pragma once

// Products outside of tasks, of any two matrices. A processor computes tiles of the result, and its threads share the
// numbers of a tile in shared memory. While one part of the depth (k) is multiplied, the next is copied asynchronously,
// without registers. Weights occupy most registers, so a thread has only 4 x 2 sums. Blocks of the depth are summed
// from zero and added in order, as in sums over rows. So results are bit-identical, however processors share the tiles.

#include "backend/cuda/entries/device/products.cuh"

namespace cavs::cuda {

/// Copies numbers of a tile's rows (side 0) or columns (side 1) to shared memory, with zeros where the matrix ends.
/// Neighbouring lanes copy neighbours of a line (see BlockFactor). If lines go along the depth, a warp copies 8
/// neighbours of each of 4 lines, which avoids bank conflicts.
/// @param outer  first row or column of the tile   @param depth  first k to copy
CAVS_DEVICE void bring(const BlockProduct& product, i32 side, i32 outer, i32 depth, BlockNumbers& numbers) {
  constexpr auto across_of = [](i32 width) { return kThreads < width ? kThreads : width; };  // threads that copy a line
  constexpr i32 kAcross[] = {across_of(kBlockRows), across_of(kBlockColumns)};
  const bool left = side == 0;
  const BlockFactor factor = load(left ? &product.left : &product.right);
  const i32 outers = factor.outers, depths = load(&product.depth);
  const i32 width = left ? kBlockRows : kBlockColumns, across = left ? kAcross[0] : kAcross[1];
  const i32 pitch = static_cast<i32>(left ? sizeof numbers.left[0] : sizeof numbers.right[0]) / 4;
  unsigned* const to = left ? numbers.left[0][0].bits : numbers.right[0][0].bits;
  const i32 t = forget(thread());  // hidden, so that indices occupy no registers during the multiplication
  i32 number;
  if (factor.along_depth != 0) {
    const i32 d = t % 8;
#pragma unroll 1
    for (i32 o = t / 8; o < width; o += kThreads / 8) {
      const float* const from = factor.first + find_line(factor, outer + o, outers, number) + depth + d;
#pragma unroll
      for (i32 k = 0; k < kBlockDepth; k += 8)
        copy_to_shared(to + (d + k) * pitch + o, from + k, depth + d + k < depths ? number : -1);
    }
  } else {
    const i32 lines = left ? kThreads / kAcross[0] : kThreads / kAcross[1];  // lines that are copied together
    const i32 first = quotient(t, across), along = t - first * across;
    if (first >= lines) return;
#pragma unroll 2
    for (i32 d = first; d < kBlockDepth; d += lines) {
      const float* const from = factor.first + find_line(factor, depth + d, depths, number) + outer;
#pragma unroll 1
      for (i32 o = along; o < width; o += across)
        copy_to_shared(to + d * pitch + o, from + o, outer + o < outers ? number : -1);
    }
  }
}

/// Sums of a thread: 4 neighbouring rows times 2 neighbouring columns. A warp computes 4 x kRowGroups rows and 2 x
/// kColumnGroups columns of the tile.
struct BlockSums {
  static constexpr int kRowGroups = kWarps % 4 == 0 ? 4 : kWarps % 2 == 0 ? 2 : 1;  // groups of 4 rows of a warp
  static constexpr int kColumnGroups = 32 / kRowGroups;                             // groups of 2 columns of a warp
  float sums[4][2];

  /// Returns the tile's group of 4 rows that is the thread's. Each call computes it, so that it occupies no register.
  static CAVS_DEVICE i32 row_group() {
    const i32 t = forget(thread());
    return t / 32 / kRowGroups * kRowGroups + t % 32 / kColumnGroups;
  }
  static CAVS_DEVICE i32 column_group() {
    const i32 t = forget(thread());
    return t / 32 % kRowGroups * kColumnGroups + t % 32 % kColumnGroups;
  }

  CAVS_DEVICE void clear() {
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i][0] = sums[i][1] = 0;
  }
  /// Adds products to the sums. @param depth  how many k are in shared memory; zeros follow them
  CAVS_DEVICE void add(const BlockNumbers& in, i32 depth) {
    const i32 of_rows = row_group(), of_columns = column_group();
#pragma unroll 1
    for (i32 from = 0; from < depth; from += 4)
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const auto left = load(&in.left[from + k][of_rows]);
        const auto right = load(&in.right[from + k][of_columns]);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 2; ++j)
            sums[i][j] = multiply_add(float_of(left.bits[i]), float_of(right.bits[j]), sums[i][j]);
      }
  }
  /// Stores the sums. @param rows, columns  how many of the thread's exist   @param adds  true to add to the result
  CAVS_DEVICE void put(const BlockResult& to, i32 rows, i32 columns, i32 row, i32 column, bool adds) {
#pragma unroll 1
    for (int i = 0; i < 4 && i < rows; ++i) {
      const i32 line = load_listed(to.list, to.begin + row + i, to.begin + row + i);
      float* const at = to.first + static_cast<i64>(line) * to.stride + column;
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        if (j >= columns) break;
        float sum = sums[0][j];
        if (to.bias != nullptr && !adds) sum += load(to.bias + column + j);
        store(at + j, adds ? load(at + j) + sum : sum);
        sums[0][j] = sums[1][j], sums[1][j] = sums[2][j], sums[2][j] = sums[3][j];  // moves the next row to the first
      }
    }
  }
};

/// Rounds the factors in shared memory to bf16.
CAVS_DEVICE void round_numbers(BlockNumbers& numbers) {
  const auto round = [](unsigned& x) { store(&x, bits_of(rounded(float_of(load(&x))))); };
#pragma unroll 1
  for (i32 i = thread(); i < kBlockRows * kBlockDepth; i += kThreads)
    round(numbers.left[i / kBlockRows][i % kBlockRows / 4].bits[i % 4]);
#pragma unroll 1
  for (i32 i = thread(); i < kBlockColumns * kBlockDepth; i += kThreads)
    round(numbers.right[i / kBlockColumns][i % kBlockColumns / 2].bits[i % 2]);
}

/// Multiplies the tile of the current product at (row, column). All threads of the processor must call it. To save
/// registers, data that all numbers need are read again from shared memory, and indices are computed again.
CAVS_DEVICE void multiply_block(i32 row, i32 column) {
  const BlockProduct& product = shared<BlockMemory>().product;
  BlockNumbers(&numbers)[2] = shared<BlockMemory>().of_processor.numbers;
  const auto rows_left = [&] { return load(&product.left.outers) - row - 4 * BlockSums::row_group(); };
  const auto columns_left = [&] { return load(&product.right.outers) - column - 2 * BlockSums::column_group(); };
  BlockSums sums;
  sums.clear();
#pragma unroll 1
  for (i32 begin = -kBlockDepth; begin <= 0 || begin < load(&product.depth); begin += kBlockDepth) {
    const i32 end = begin + kBlockDepth, at = end / kBlockDepth % 2;
    copies_arrive();
    sync();  // numbers from `begin` on have been copied, and the buffer of the previous ones is free
    if (end == 0 || end < load(&product.depth)) {
#pragma unroll 1
      for (i32 side = 0; side < 2; ++side) bring(product, side, side == 0 ? row : column, end, numbers[at]);
    }
    if (begin < 0) continue;
    if constexpr (kBf16) {
      round_numbers(numbers[1 - at]);
      sync();  // all factors are rounded
    }
    if (rows_left() <= 0 || columns_left() <= 0) continue;
    sums.add(numbers[1 - at], smaller(load(&product.depth), end) - begin);
    if (end % kSumRowsOfBlock != 0 && end < load(&product.depth)) continue;
    sums.put(load(&product.out), rows_left(), columns_left(), row + 4 * BlockSums::row_group(),
             column + 2 * BlockSums::column_group(), end > kSumRowsOfBlock || load(&product.adds) != 0);
    sums.clear();
  }
}

/// Returns the number of tiles side by side; blocks_of() returns the number of all tiles of a product.
CAVS_DEVICE i32 blocks_across(i32 columns) { return (columns + kBlockColumns - 1) / kBlockColumns; }
CAVS_DEVICE i32 blocks_of(i32 rows, i32 columns) {
  return blocks_across(columns) * ((rows + kBlockRows - 1) / kBlockRows);
}

/// Multiplies the processor's tiles of the current product. All threads must call it.
CAVS_DEVICE void multiply_blocks() {
  const BlockProduct& product = shared<BlockMemory>().product;
#pragma unroll 1
  for (i32 block = load(&product.part);; block += load(&product.parts)) {
    const i32 across = blocks_across(load(&product.right.outers));
    if (block >= blocks_of(load(&product.left.outers), load(&product.right.outers))) return;
    const i32 of = quotient(block, across);
    multiply_block(of * kBlockRows, (block - of * across) * kBlockColumns);
  }
}

}  // namespace cavs::cuda
