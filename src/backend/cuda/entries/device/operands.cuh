#pragma once

// The operands of an entry. Before the entry waits for other processors, one thread per operand finds the operand and
// stores it in shared memory, for all threads.

#include "backend/cuda/device/operand.cuh"
#include "backend/cuda/entries/device/entries.cuh"
#include "backend/cuda/entries/tile_shape.h"

namespace cavs::cuda {

/// Returns the address of the parameters' layout. With kCallers, each parameter has an address of its own.
CAVS_DEVICE float* parameters_of(const KernelArguments& a, i32 parameter) {
  if constexpr (kCallers) return load(a.weights + parameter);
  return a.parameters;
}

CAVS_DEVICE float* memory_of(const KernelArguments& a, i32 buffer, i32 port) {
  switch (buffer) {
    case kParameterBuffer:
      return parameters_of(a, port);
    case kGradientBuffer:
      return a.gradients;
    case kLossGradientBuffer:
      return const_cast<float*>(reinterpret_cast<const float*>(a.words + kLossGradientWord));
    case kPullBuffer:
      return const_cast<float*>(a.pulls[port]);
    default:
      return a.arena;
  }
}

/// Returns an operand. @param words  the words of the operand (packed_script.h)
CAVS_DEVICE Operand find_operand(const KernelArguments& a, const i32* words) {
  const i32 list = load_fixed(words + kListWord), segments = load_fixed(words + kSegmentsWord);
  const i32 buffer = load_fixed(words + kBufferWord);
  const i64 offset = long_word(words + kOffsetWord);
  return {memory_of(a, buffer, load_fixed(words + kPortWord)) + offset,
          kKeepsHalves && buffer == kFactorBuffer ? a.halves + offset : nullptr,
          list == 0 ? nullptr : a.words + list,
          segments == 0 ? nullptr : a.words + segments,
          load_fixed(words + kStrideWord),
          load_fixed(words + kWidthWord)};
}

/// Sums of each part of the depth (see matrix_products.cuh), for the matrices that are multiplied together.
struct PartSums {
  static constexpr i32 kMatrices = kMatricesTogether, kNumbers = kRowsTogether * kColumnsTogether;
  unsigned numbers[kBf16 ? kParts : 1][kBf16 ? kMatrices * kNumbers : 1];  // bits of floats, row by row of each matrix
};

constexpr int kBlockRows = 4 * kWarps;  // rows of a tile of block_products.cuh
constexpr int kBlockDepth = kSumRowsOfBlock < kMostBlockDepth ? kSumRowsOfBlock : kMostBlockDepth;
static_assert(kBlockDepth % 8 == 0 && kSumRowsOfBlock % kBlockDepth == 0,
              "a block of sums is a whole number of blocks of the depth");

/// Numbers for a tile of a product outside of tasks (block_products.cuh): kBlockDepth numbers of each row and column of
/// the tile, ordered by depth. A thread multiplies 4 rows by 2 columns. Unused groups at the ends of lines avoid bank
/// conflicts.
struct alignas(16) BlockNumbers {
  struct alignas(16) Rows {
    unsigned bits[4];
  };
  struct alignas(8) Columns {
    unsigned bits[2];
  };
  Rows left[kBlockDepth][kWarps + 1];
  Columns right[kBlockDepth][kBlockColumns / 2 + 2];
};

// The next structures have no padding, because compilers would copy padding byte by byte.
/// A factor of a product: a matrix of lines of contiguous numbers. Either each row (or column) of the result has a line
/// along the depth, or each number of the depth has a line.
struct BlockFactor {
  const float* first;  // address of line 0
  const Half* halves;  // the numbers in bf16; nullptr if they are not stored, but rounded when they are read
  const i32* list;     // [rows] row of the operand to use, or -1 for zeros; nullptr if rows are used in order
  i32 outers;          // number of rows or columns of the result
  i32 along_depth;     // 1 if each row or column has a line; 0 if each k has a line
  i32 stride;          // floats from a row of the operand to the next
  i32 begin;           // number of the first line
  i32 lines_of_row;    // lines in a row of the operand (the rows of a matrix)
  i32 width;
};
struct BlockResult {  // rows of an operand to which the result is written
  float* first;       // address of row 0
  Half* halves;       // see Operand
  const i32* list;
  const float* bias;  // one number per column; nullptr if there is none
  i32 stride, begin;  // `begin` is the number of the first row
};
struct BlockProduct {
  BlockFactor left, right;
  BlockResult out;
  i32 depth;        // numbers that are multiplied and added for each element
  i32 adds;         // 1 to add to the result, which then already includes the bias
  i32 part, parts;  // this block computes every `parts`-th tile, from tile `part`
};
static_assert(sizeof(BlockProduct) == 152, "no padding");

/// Static shared memory for the products of a launch. Stages are in dynamic shared memory (product_tile.cuh).
struct TileMemory {
  BlockFactor gates[kMostGates];           // factors of the current panel's gates
  i32 rows[tile_rows(kLargeTile, kBf16)];  // row of the operand for each row of the tile; -1: zeros
};

/// Shared memory for products: TileMemory, or the memory of a processor that synchronises with other processors.
template <bool kIsIndependent>
union ProductMemory {
  PartSums sums;
  BlockNumbers numbers[2];
  TileMemory tile;
};
template <>
union ProductMemory<true> {
  TileMemory tile;
};

/// Static shared memory of a processor.
struct BlockMemory {
  Operand operands[kMostOperands];  // operands of the current entry
  BlockProduct product;             // the current product
  union {                           // each entry uses one member
    ProductMemory<kIndependent> of_processor;
    struct {
      unsigned of_rows[kWarps][kRowsAtOnce][32], of_blocks[kWarps][32];
    } columns;  // for sums over rows
    double warp_sums[kWarps];
    struct {
      i32 words[kWarps];
      unsigned scores[kWarps];
    } best;  // for searches of words
  };
};
static_assert(sizeof(BlockMemory) <= kBlockMemoryBytes, "block_memory_bytes()");

/// Returns word `number` of the lane in the memory for weights (TilePlace::first). Lanes' words are neighbours.
CAVS_DEVICE unsigned* shared_word(i32 number) {
  return shared_words<kSharedWords * kThreads>() + number * kThreads + thread();
}

/// Finds the operands of an entry. All threads of the processor must call it. A barrier must follow before operand() is
/// called, and another one before the next entry.
CAVS_DEVICE void find_operands(const KernelArguments& a, const Entry& entry) {
  const i32* const words = a.words + entry[kOperandsWord];
#pragma unroll 1
  for (i32 k = thread(); k < entry[kOperandCountWord]; k += kThreads) {
    const Operand found = find_operand(a, words + k * kOperandWords);
    Operand& to = shared<BlockMemory>().operands[k];
    store(&to.first, found.first), store(&to.halves, found.halves), store(&to.list, found.list),
        store(&to.segments, found.segments);
    store(&to.stride, found.stride), store(&to.width, found.width);
  }
}

/// Returns an operand by its number: inputs come first, then outputs.
CAVS_DEVICE Operand operand(i32 number) {
  const Operand& found = shared<BlockMemory>().operands[number];
  return {load(&found.first),    load(&found.halves), load(&found.list),
          load(&found.segments), load(&found.stride), load(&found.width)};
}

/// Returns a factor of a product, rounded to bf16 if the kernel multiplies in bf16.
CAVS_DEVICE float rounded(float x) { return kBf16 ? float_of(pack_bf16(x, 0) << 16) : x; }

CAVS_DEVICE void put_product(const Operand& y, i32 row, i32 column, float sum, bool add) {
  y.put(row, column, add ? y.at(row, column) + sum : sum);
}

}  // namespace cavs::cuda
