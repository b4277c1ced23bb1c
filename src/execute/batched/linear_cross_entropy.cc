#include "execute/batched/linear_cross_entropy.h"

#include <algorithm>

#include "support/check.h"

namespace cavs {

/// A tile has as many rows as matmul_tn sums in a block, counted from the first row. So all gradients have the bits of
/// products over all rows at once, whatever the thread count.
void LinearCrossEntropyRunner::run(Worker& worker, const WorkPart& who, const Instruction& i,
                                   const LinearCrossEntropy& entropy, RowRange rows) const {
  const std::int32_t height = worker.program->tensors[entropy.tile.id].max_rows;
  if (rows.begin == rows.end && i.out.size() > 1) run_gradients(worker, who, i, entropy, rows, false);  // zeros
  for (std::int32_t begin = rows.begin; begin < rows.end; begin += height) {
    if (begin > rows.begin) worker.wait();  // all have read the last tile
    const RowRange tile{begin, std::min(begin + height, rows.end)};
    run_loss(worker, who, i, entropy, tile);
    if (i.out.size() == 1) continue;
    worker.wait();
    run_gradients(worker, who, i, entropy, tile, begin > rows.begin);
  }
}

void LinearCrossEntropyRunner::multiply(Worker& worker, const WorkPart& who, std::int32_t weight, const ConstRows& x,
                                        std::int32_t count, const Rows& y) const {
  const auto share = share_of_product({0, count}, weights_[weight].units(), who);
  if (share.empty()) return;
  worker.count_weight(weight, share.units);
  cpu::matmul(x, share.rows.begin, share.rows.end, weights_[weight], y, share.units.begin, share.units.end,
              worker.scratch);
}

/// Logits of the tile, then their loss; in training the logits' gradient takes their place.
void LinearCrossEntropyRunner::run_loss(Worker& worker, const WorkPart& who, const Instruction& i,
                                        const LinearCrossEntropy& entropy, RowRange rows) const {
  const std::int32_t count = rows.end - rows.begin;
  const Rows tile = worker.write(entropy.tile);
  multiply(worker, who, entropy.weight, worker.read_from(i.in[0], rows.begin), count, tile);
  worker.wait();
  const auto [begin, end] = split_range(0, count, who);
  cpu::cross_entropy({.logits = tile,
                      .bias = i.in.size() > 1 ? worker.base(i.in[1]) : nullptr,
                      .labels = worker.rows(worker.type().indices[entropy.labels]) + rows.begin,
                      .loss = worker.write_from(i.out[0], rows.begin),
                      .gradient = i.out.size() > 1,
                      .dy = worker.run->loss_gradient},
                     begin, end);
}

void LinearCrossEntropyRunner::run_gradients(Worker& worker, const WorkPart& who, const Instruction& i,
                                             const LinearCrossEntropy& entropy, RowRange rows, bool accumulate) const {
  CAVS_ASSERT(accumulate || rows.begin == 0);  // sums run over all rows
  const std::int32_t count = rows.end - rows.begin;
  const ConstRows gradient = worker.read(entropy.tile);
  if (entropy.dx >= 0)
    multiply(worker, who, entropy.transposed_weight, gradient, count, worker.write_from(i.out[entropy.dx], rows.begin));
  if (entropy.dw >= 0)
    cpu::matmul_tn(worker.read_from(i.in[0], rows.begin), gradient, count, worker.written(i.out[entropy.dw]),
                   accumulate, who.part, who.parts, worker.scratch, precision_);
  if (entropy.db >= 0)
    cpu::sum_rows(gradient, count, worker.written(i.out[entropy.db]), accumulate, who.part, who.parts);
}

}  // namespace cavs
