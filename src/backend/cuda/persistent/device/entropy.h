// A product with a wide parameter and its cross-entropy, tile by tile of rows, gradients included.
namespace cavs::cuda {

/// All processors, which meet between the tile's logits, losses and gradients.
CAVS_DEVICE void linear_cross_entropy(const KernelArguments& a, const Entry& entry, unsigned& meetings) {
  const Operand x = operand(0), loss = operand(entry.attribute(kLossOut));
  const Operand tile = find_operand(a, entry.attributes() + kLogits);
  const float* const weight = a.parameters + long_word(entry.attributes() + kEntropyWeight);
  const i32 classes = tile.width, k = x.width, height = entry.attribute(kTileRows);
  const i32 dx = entry.attribute(kDxOut), dw = entry.attribute(kDwOut), db = entry.attribute(kDbOut);
  const i32* const labels = entry.list(kEntropyLabels);
  const float dy = float_of(static_cast<unsigned>(load_fixed(a.words + kLossGradientWord)));
  const Work own{0, 0, 0, 0, processor(), processors()};
#pragma unroll 1
  for (i32 begin = entry[kRowBeginWord]; begin < entry[kRowEndWord]; begin += height) {
    const i32 count = smaller(height, entry[kRowEndWord] - begin);
    each_number(own, count * classes, [&](i32 i) {
      const i32 r = quotient(i, classes), c = i - r * classes;
      const float* const row = x.find(begin + r);
      float sum = row == nullptr ? 0.0F : column_by_thread(row, weight + c, k, classes);
      if (entry.attribute(kHasBias) != 0) sum += operand(1).at(0, c);
      tile.put(r, c, sum);
    });
    meet(a, meetings);
    const Range rows = part_of(count, own.part, own.parts, 1);
    const Work some{rows.begin, rows.end, 0, 0, 0, 1};
    each_row(some, [&](i32 r) {
      const i32 label = load_fixed(labels + begin + r);
      if (label < 0) {
        put_number(loss, begin + r, 0);
        return fill_row(tile, r, classes, [](i32) { return 0.0F; });
      }
      const float largest = row_max(tile, r), of_label = tile.at(r, label);
      const float total = exp_sum(tile, r, largest);
      sync_warp();
      put_number(loss, begin + r, math::log(total) - (of_label - largest));
      fill_row(tile, r, classes, [&](i32 c) {
        const float p = math::exp_of_negative(tile.at(r, c) - largest) / total;
        return (c == label ? p - 1.0F : p) * dy;
      });
    });
    meet(a, meetings);
    const bool adds = begin > entry[kRowBeginWord];
    if (dx >= 0) {
      const Operand to = operand(dx);
      const Range sums = part_of(count * k, own.part, own.parts, 1);
#pragma unroll 1
      for (i32 i = sums.begin + warp(); i < sums.end; i += kWarps) {
        const i32 r = quotient(i, k), column = i - r * k;
        const float sum = column_by_warp(tile.row(r), weight + static_cast<i64>(column) * classes, classes, 1);
        if (lane() == 0) to.put(begin + r, column, sum);
      }
    }
    if (dw >= 0) {
      const Operand to = operand(dw);
      each_number(own, k * classes, [&](i32 i) {
        const i32 row = quotient(i, classes), column = i - row * classes;
        const float sum = sum_of_blocks(0, count, [&](i32 r, float partial) {
          return multiply_add(rounded(x.at(begin + r, row)), rounded(tile.at(r, column)), partial);
        });
        put_sum(to.first + i, sum, adds);
      });
    }
    if (db >= 0) {
      const Operand to = operand(db);
      each_number(own, classes, [&](i32 c) {
        const float sum = sum_of_blocks(0, count, [&](i32 r, float partial) { return partial + tile.at(r, c); });
        put_sum(to.first + c, sum, adds);
      });
    }
    if (begin + height < entry[kRowEndWord]) meet(a, meetings);  // before the next tile takes its place
  }
}

}  // namespace cavs::cuda
