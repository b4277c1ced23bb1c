#pragma once

// A softmax cross-entropy of the product with a wide parameter, and its gradients, in tiles of rows.

#include "backend/cuda/device/row_operations.cuh"
#include "backend/cuda/entries/device/reductions.cuh"

namespace cavs::cuda {

/// Replaces the logits of a row by their gradient. A warp must call it. @return the row's loss
CAVS_DEVICE float entropy_of_row(const Operand& logits, i32 r, i32 label, float dy) {
  float* const row = logits.row(r);
  const i32 classes = logits.width;
  float largest = -__builtin_inff(), total = 0;
  each_number_of_row(row, classes, lane(), 32, [&](i32, float x) { largest = math::max(largest, x); });
  largest = warp_max(largest);
  each_number_of_row(row, classes, lane(), 32, [&](i32, float x) { total += math::exp_of_negative(x - largest); });
  total = warp_sum(total);
  const float of_label = load(row + label);
  sync_warp();
  each_number_of_row(row, classes, lane(), 32, [&](i32 c, float x) {
    const float p = math::exp_of_negative(x - largest) / total;
    logits.put(r, c, (c == label ? p - 1.0F : p) * dy);
  });
  return math::log(total) - (of_label - largest);
}

/// A tile of the rows of an entry, and its logits. Each tile needs three products: logits, dx and dw.
struct EntropyTile {
  Operand logits;
  i64 weight;        // index of the weight's first number in the parameters
  i32 begin, count;  // rows
  i32 number;        // number of the tile

  CAVS_DEVICE EntropyTile(const KernelArguments& a, const Entry& entry, i32 tile) : number(tile) {
    logits = find_operand(a, entry.attributes() + kLogits);
    weight = long_word(entry.attributes() + kEntropyWeight);
    const i32 height = entry.attribute(kTileRows);
    begin = entry[kRowBeginWord] + tile * height;
    count = smaller(height, entry[kRowEndWord] - begin);
  }
};

/// A number that parameters_of() ignores: with kCallers, where each parameter has an address, there is no loss.
constexpr i32 kFirstParameter = 0;

CAVS_DEVICE void describe_logits(const KernelArguments& a, const Entry& entry, const EntropyTile& tile) {
  const Operand x = operand(0);
  const i32 classes = tile.logits.width;
  const float* const bias = entry.attribute(kHasBias) != 0 ? operand(1).row(0) : nullptr;
  describe({rows_of(x, tile.count, tile.begin), weight_of(a, kFirstParameter, tile.weight, classes, false, classes),
            result_of(tile.logits, 0, 0, bias), x.width, 0, processor(), processors()});
}

/// Does the block's part of a tile: computes losses, and replaces logits by their gradients.
CAVS_DEVICE void find_entropies(const KernelArguments& a, const Entry& entry, const EntropyTile& tile) {
  const i32* const labels = entry.list(kEntropyLabels);
  const Operand loss = operand(entry.attribute(kLossOut));
  const float dy = float_of(static_cast<unsigned>(load_fixed(a.words + kLossGradientWord)));
  const Range own = part_of(tile.count, processor(), processors(), 1);
#pragma unroll 1
  for (i32 r = own.begin + warp(); r < own.end; r += kWarps) {
    const i32 label = load_fixed(labels + tile.begin + r);
    if (label >= 0) {
      put_number(loss, tile.begin + r, entropy_of_row(tile.logits, r, label, dy));
      continue;
    }
    put_number(loss, tile.begin + r, 0);
    fill_row(tile.logits, r, tile.logits.width, [](i32) { return 0.0F; });
  }
}

CAVS_DEVICE void describe_dx(const KernelArguments& a, const Entry& entry, const EntropyTile& tile) {
  const i32 out = entry.attribute(kDxOut), classes = tile.logits.width;
  const Operand x = operand(0), dx = operand(larger(out, 0));
  describe({rows_of(tile.logits, out < 0 ? 0 : tile.count, 0),
            weight_of(a, kFirstParameter, tile.weight, x.width, true, classes), result_of(dx, 0, tile.begin), classes,
            0, processor(), processors()});
}

/// Describes the product dw, the gradient of the weight. It is zero if the tile has no rows.
CAVS_DEVICE void describe_dw(const Entry& entry, const EntropyTile& tile) {
  const i32 out = entry.attribute(kDwOut), classes = tile.logits.width;
  const Operand x = operand(0);
  describe({{x.first, x.halves, x.list, out < 0 ? 0 : x.width, 0, x.stride, tile.begin, 1, 0},
            {tile.logits.first, tile.logits.halves, tile.logits.list, classes, 0, tile.logits.stride, 0, 1, 0},
            {operand(larger(out, 0)).first, nullptr, nullptr, nullptr, classes, 0},
            tile.count,
            tile.number > 0 ? 1 : 0,
            processor(),
            processors()});
}

CAVS_DEVICE void sum_db(const Entry& entry, const EntropyTile& tile) {
  const i32 db = entry.attribute(kDbOut);
  if (db < 0) return;
  sum_columns(tile.logits, 0, tile.count, processor(), processors(),
              [&](i32 c, float sum) { put_sum(operand(db).first + c, sum, tile.number > 0); });
}

}  // namespace cavs::cuda
