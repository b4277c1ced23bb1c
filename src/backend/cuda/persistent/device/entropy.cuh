#pragma once

// A product with a wide parameter and its cross-entropy, tile by tile of rows, gradients included.

#include "backend/cuda/device/row_operations.cuh"
#include "backend/cuda/persistent/device/processors.cuh"
#include "backend/cuda/persistent/device/reductions.cuh"

namespace cavs::cuda {

/// Calls f(column, number) for the lane's numbers of a row; several are read before the first is needed.
template <typename F>
CAVS_DEVICE void each_number_of_row(const float* row, i32 width, F f) {
  constexpr i32 kAtOnce = 4;
#pragma unroll 1
  for (i32 c = lane(); c < width; c += 32 * kAtOnce) {
    float numbers[kAtOnce];
#pragma unroll
    for (i32 i = 0; i < kAtOnce; ++i) numbers[i] = load_or_zero(row + c + 32 * i, width - 1 - (c + 32 * i));
#pragma unroll
    for (i32 i = 0; i < kAtOnce; ++i)
      if (c + 32 * i < width) f(c + 32 * i, numbers[i]);
  }
}

/// Of a row of logits, by a warp: its loss, and their gradient in their place. @return the loss
CAVS_DEVICE float entropy_of_row(float* row, i32 classes, i32 label, float dy) {
  float largest = -__builtin_inff(), total = 0;
  each_number_of_row(row, classes, [&](i32, float x) { largest = math::max(largest, x); });
  largest = warp_max(largest);
  each_number_of_row(row, classes, [&](i32, float x) { total += math::exp_of_negative(x - largest); });
  total = warp_sum(total);
  const float of_label = load(row + label);
  sync_warp();
  each_number_of_row(row, classes, [&](i32 c, float x) {
    const float p = math::exp_of_negative(x - largest) / total;
    store(row + c, (c == label ? p - 1.0F : p) * dy);
  });
  return math::log(total) - (of_label - largest);
}

/// Gradients of an entry without rows, which are zero: of the bias here, of the weight by the product of no rows.
CAVS_DEVICE void describe_no_entropy(const Entry& entry, const Operand& x, const Operand& tile) {
  const i32 db = entry.attribute(kDbOut), dw = entry.attribute(kDwOut);
  if (db >= 0)
    sum_columns(tile, 0, 0, processor(), processors(),
                [&](i32 c, float sum) { put_sum(operand(db).first + c, sum, false); });
  describe({{x.first, x.list, dw < 0 ? 0 : x.width, 0, x.stride, 0},
            {tile.first, tile.list, tile.width, 0, tile.stride},
            {operand(larger(dw, 0)).first, nullptr, nullptr, tile.width, 0},
            0,
            0,
            processor(),
            processors()});
}

/// The number-th product of an entry, whose tiles of rows have three each: logits, dx and dw. Before it all processors
/// do what comes between. @return there is one
CAVS_DEVICE bool describe_entropy(const KernelArguments& a, const Entry& entry, i32 number, unsigned& meetings) {
  const Operand x = operand(0);
  const Operand tile = find_operand(a, entry.attributes() + kLogits);
  const float* const weight = a.parameters + long_word(entry.attributes() + kEntropyWeight);
  const i32 classes = tile.width, k = x.width, height = entry.attribute(kTileRows);
  const i32 tiles = quotient(number, 3), what = number - 3 * tiles, first = entry[kRowBeginWord];
  const i32 begin = first + tiles * height, rows = entry[kRowEndWord], count = smaller(height, rows - begin);
  if (first == rows) {
    if (number > 0) return false;
    describe_no_entropy(entry, x, tile);
    return true;
  }
  if (what == 0) {
    const i32 db = entry.attribute(kDbOut), done = smaller(height, rows - (begin - height));
    if (number > 0 && db >= 0)
      sum_columns(tile, 0, done, processor(), processors(),
                  [&](i32 c, float sum) { put_sum(operand(db).first + c, sum, number > 3); });
    if (begin >= rows) return false;
    if (number > 0) meet(a, meetings);  // before the next tile takes its place
    const float* const bias = entry.attribute(kHasBias) != 0 ? operand(1).row(0) : nullptr;
    describe({{x.first, x.list, count, 1, x.stride, begin},
              {weight, nullptr, classes, 0, classes},
              {tile.first, tile.list, bias, tile.stride, 0},
              k,
              0,
              processor(),
              processors()});
  } else if (what == 1) {
    meet(a, meetings);
    const i32* const labels = entry.list(kEntropyLabels);
    const Operand loss = operand(entry.attribute(kLossOut));
    const float dy = float_of(static_cast<unsigned>(load_fixed(a.words + kLossGradientWord)));
    const Range own = part_of(count, processor(), processors(), 1);
    each_row({own.begin, own.end, 0, 0, 0, 1}, [&](i32 r) {
      const i32 label = load_fixed(labels + begin + r);
      if (label >= 0) return put_number(loss, begin + r, entropy_of_row(tile.row(r), classes, label, dy));
      put_number(loss, begin + r, 0);
      fill_row(tile, r, classes, [](i32) { return 0.0F; });
    });
    meet(a, meetings);
    const i32 out = entry.attribute(kDxOut);
    const Operand dx = operand(larger(out, 0));
    describe({{tile.first, tile.list, out < 0 ? 0 : count, 1, tile.stride},
              {weight, nullptr, k, 1, classes},
              {dx.first, dx.list, nullptr, dx.stride, begin},
              classes,
              0,
              processor(),
              processors()});
  } else {
    const i32 out = entry.attribute(kDwOut);
    describe({{x.first, x.list, out < 0 ? 0 : k, 0, x.stride, begin},
              {tile.first, tile.list, classes, 0, tile.stride},
              {operand(larger(out, 0)).first, nullptr, nullptr, classes, 0},
              count,
              tiles > 0 ? 1 : 0,
              processor(),
              processors()});
  }
  return true;
}

/// Does what comes before the number-th product of an entry, and describes that. @return there is one. All threads of
/// the processor.
CAVS_DEVICE bool describe_product(const KernelArguments& a, const Entry& entry, i32 number, unsigned& meetings) {
  const Work work = work_of(a, entry);
  switch (entry[kOperationWord]) {
    case kProduct:
      return describe_gate(a, entry, work, number);
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
