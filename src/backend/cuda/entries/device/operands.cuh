#pragma once

// Where the operands of an entry lie. Each is found once, by one thread, before the entry waits for other processors;
// all threads read it from the processor's memory.

#include "backend/cuda/device/operand.cuh"
#include "backend/cuda/entries/device/entries.cuh"
#include "backend/cuda/entries/tile_shape.h"

namespace cavs::cuda {

/// Where the layout of the parameters begins, as a parameter has it.
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

/// @param words  of one operand
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

/// Of matrices of sums, each part's.
struct PartSums {
  static constexpr i32 kMatrices = kMatricesTogether, kNumbers = kRowsTogether * kColumnsTogether;
  unsigned numbers[kBf16 ? kParts : 1][kBf16 ? kMatrices * kNumbers : 1];  // bits of floats, row by row of each matrix
};

constexpr int kRowsAtOnce = 16;  // of a sum over rows that are on their way
constexpr int kBlockRows = 4 * kWarps;
constexpr int kBlockDepth = kSumRowsOfBlock < kMostBlockDepth ? kSumRowsOfBlock : kMostBlockDepth;
static_assert(kBlockDepth % 8 == 0 && kSumRowsOfBlock % kBlockDepth == 0, "blocks of sums begin with others");

/// What a tile of a product outside of tasks is made of (block_products.cuh): so many numbers of the depth, of each of
/// the tile's rows and columns, by depth. A thread multiplies 4 rows with 2 columns; a group more keeps what neighbours
/// write in different banks.
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

// All without gaps, which compilers fill byte by byte.
/// A matrix to multiply with, as lines of numbers that lie side by side: a line for each row (or column) of the result
/// with its numbers along the depth, or a line for each number of the depth.
struct BlockFactor {
  const float* first;  // of line 0
  const Half* halves;  // the same in bf16; nullptr: it has none, and is rounded when it is read
  const i32* list;     // by line, the one that is meant, -1: zeros; nullptr: itself
  i32 outers;          // rows or columns of the result
  i32 along_depth;
  i32 stride;        // from line to line
  i32 begin;         // the first line
  i32 lines_of_row;  // lines that a row of the list has, of so many numbers
  i32 width;
};
struct BlockResult {
  float* first;  // of row 0
  Half* halves;  // see Operand
  const i32* list;
  const float* bias;  // of each column; nullptr: none
  i32 stride, begin;  // the first row
};
struct BlockProduct {
  BlockFactor left, right;
  BlockResult out;
  i32 depth;
  i32 adds;         // to what is there; the bias has been added to that
  i32 part, parts;  // of the tiles: every `parts`-th from `part` on
};
static_assert(sizeof(BlockProduct) == 152, "no gaps");

/// Static memory that a block of one launch multiplies with; stages are in its dynamic memory (product_tile.cuh).
struct TileMemory {
  BlockFactor gates[kMostGates];           // of the panel that it is at
  i32 rows[tile_rows(kLargeTile, kBf16)];  // of the left factor, that the tile's rows mean
};

/// The same of a processor that knows of others.
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

/// What the threads of a processor share.
struct BlockMemory {
  Operand operands[kMostOperands];  // of the entry that the processor is at
  BlockProduct product;             // that it is at
  union {                           // of one entry at a time
    ProductMemory<kIndependent> of_processor;
    struct {
      unsigned of_rows[kWarps][kRowsAtOnce][32], of_blocks[kWarps][32];
    } columns;  // of sums over rows
    double warp_sums[kWarps];
    struct {
      i32 words[kWarps];
      unsigned scores[kWarps];
    } best;  // words
  };
};
static_assert(sizeof(BlockMemory) <= kBlockMemoryBytes, "block_memory_bytes()");

/// Word `number` of the lane in the memory that holds weights (TilePlace::first). Neighbouring lanes' are neighbours.
CAVS_DEVICE unsigned* shared_word(i32 number) {
  return shared_words<kSharedWords * kThreads>() + number * kThreads + thread();
}

/// All threads of the processor; they are to meet before operand() is called, and after it is before the next entry.
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

/// Inputs, then outputs.
CAVS_DEVICE Operand operand(i32 number) {
  const Operand& found = shared<BlockMemory>().operands[number];
  return {load(&found.first),    load(&found.halves), load(&found.list),
          load(&found.segments), load(&found.stride), load(&found.width)};
}

/// Of a factor: as bf16 has it, where the kernel multiplies so.
CAVS_DEVICE float rounded(float x) { return kBf16 ? float_of(pack_bf16(x, 0) << 16) : x; }

CAVS_DEVICE void put_product(const Operand& y, i32 row, i32 column, float sum, bool add) {
  y.put(row, column, add ? y.at(row, column) + sum : sum);
}

}  // namespace cavs::cuda
