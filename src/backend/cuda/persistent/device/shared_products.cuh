#pragma once

// Products that all processors share, and what comes between those of a softmax over words.

#include "backend/cuda/entries/device/entropy.cuh"
#include "backend/cuda/persistent/device/block_products.cuh"
#include "backend/cuda/persistent/device/processors.cuh"

namespace cavs::cuda {

/// The number-th product of an entry: its tiles of rows have three each. Before it all processors do what comes
/// between. @return there is one
CAVS_DEVICE bool describe_entropy(const KernelArguments& a, const Entry& entry, i32 number, unsigned& meetings) {
  const i32 tiles = quotient(number, 3), what = number - 3 * tiles;
  const EntropyTile tile(a, entry, tiles);
  const bool has_rows = entry[kRowBeginWord] < entry[kRowEndWord];
  if (!has_rows) {
    if (number > 0) return false;
    sum_db(entry, tile);
    describe_dw(entry, tile);
    return true;
  }
  if (what == 0) {
    if (number > 0) sum_db(entry, EntropyTile(a, entry, tiles - 1));
    if (tile.count <= 0) return false;
    if (number > 0) meet(a, meetings);  // before the next tile takes its place
    describe_logits(a, entry, tile);
  } else if (what == 1) {
    meet(a, meetings);
    find_entropies(a, entry, tile);
    meet(a, meetings);
    describe_dx(a, entry, tile);
  } else {
    describe_dw(entry, tile);
  }
  return true;
}

/// Does what comes before the number-th product of an entry, and describes that. @return there is one. All threads of
/// the processor.
CAVS_DEVICE bool describe_product(const KernelArguments& a, const Entry& entry, i32 number, unsigned& meetings) {
  const Work work = work_of(a, entry);
  switch (entry[kOperationWord]) {
    case kProduct:
      return describe_gate(a, entry, work, number, blocks_of);
    case kWeightGradient:
      if (number > 0) return false;
      if constexpr (kHasOperation[kWeightGradient])
        describe_weight_gradient(work, entry, operand(0), operand(1), operand(2));
      return true;
    default:
      if constexpr (kHasOperation[kLinearCrossEntropy]) return describe_entropy(a, entry, number, meetings);
      return false;
  }
}

}  // namespace cavs::cuda
