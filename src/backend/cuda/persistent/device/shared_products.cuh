#pragma once

// Products of which all processors compute tiles, and the steps between the products of a softmax over words.

#include "backend/cuda/entries/device/entropy.cuh"
#include "backend/cuda/persistent/device/block_products.cuh"
#include "backend/cuda/persistent/device/processors.cuh"

namespace cavs::cuda {

/// Describes product `number` of an entry, which has three products per tile of rows. First, all processors run the
/// steps between the previous product and this one. @return false if there is no such product
CAVS_DEVICE bool describe_entropy(const KernelArguments& a, const Entry& entry, i32 number, unsigned& meetings) {
  const i32 tiles = quotient(number, 3), what = number - 3 * tiles;  // what: 0 logits, 1 dx, 2 dw
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
    if (number > 0) meet(a, meetings);  // all processors have read the tile that the next one overwrites
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

/// Runs the steps before product `number` of an entry, and describes it. All threads of the processor must call it.
/// @return false if there is no such product
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
