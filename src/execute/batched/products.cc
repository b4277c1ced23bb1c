#include "execute/batched/products.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Computes the worker's share of a product of `count` rows.
void multiply(const PackedWeights& weights, Worker& worker, const WorkPart& work, std::int32_t weight,
              const ConstRows& x, std::int32_t count, const Rows& y) {
  const auto share = share_of_product({0, count}, weights[weight].units(), work);
  if (share.empty()) return;
  worker.count_weight(weight, share.units);
  cpu::matmul(x, share.rows.begin, share.rows.end, weights[weight], y, share.units.begin, share.units.end,
              worker.scratch);
}

/// Computes the logits of a tile, then their loss. In training, overwrites the logits with their gradient.
void run_loss(const PackedWeights& weights, Worker& worker, const WorkPart& work, const Instruction& i,
              const LinearCrossEntropy& entropy, RowRange rows) {
  const std::int32_t count = rows.end - rows.begin;
  const Rows tile = worker.write(entropy.tile);
  multiply(weights, worker, work, entropy.weight, worker.read_from(i.in[0], rows.begin), count, tile);
  worker.wait();
  const auto [begin, end] = split_range(0, count, work);
  cpu::cross_entropy({.logits = tile,
                      .bias = i.in.size() > 1 ? worker.base(i.in[1]) : nullptr,
                      .labels = worker.rows(worker.type().indices[entropy.labels]) + rows.begin,
                      .loss = worker.write_from(i.out[0], rows.begin),
                      .gradient = i.out.size() > 1,
                      .dy = worker.run->loss_gradient},
                     begin, end);
}

void run_gradients(const PackedWeights& weights, Worker& worker, const WorkPart& work, const Instruction& i,
                   const LinearCrossEntropy& entropy, RowRange rows, bool accumulate) {
  CAVS_ASSERT(accumulate || rows.begin == 0);  // the first tile overwrites the gradient
  const std::int32_t count = rows.end - rows.begin;
  const ConstRows gradient = worker.read(entropy.tile);
  if (entropy.dx >= 0)
    multiply(weights, worker, work, entropy.transposed_weight, gradient, count,
             worker.write_from(i.out[entropy.dx], rows.begin));
  if (entropy.dw >= 0)
    cpu::matmul_tn(worker.read_from(i.in[0], rows.begin), gradient, count, worker.written(i.out[entropy.dw]),
                   accumulate, work.part, work.parts, worker.scratch, worker.precision);
  if (entropy.db >= 0)
    cpu::sum_rows(gradient, count, worker.written(i.out[entropy.db]), accumulate, work.part, work.parts);
}

}  // namespace

void run_product(const PackedWeights& weights, Worker& worker, const WorkPart& work, const Instruction& i,
                 const Matmul& product, RowRange rows) {
  const int units = weights[product.factors[0].weight].units();  // equal for all factors
  ProductShare share = share_of_product(rows, units, work);
  if (share.empty()) return;
  for (const std::int32_t end = share.rows.end; share.rows.begin < end; share.rows.begin = share.rows.end) {
    share.rows.end = std::min(share.rows.begin + cpu::kRowBlock, end);
    run_units(weights, worker, i, product, share);
  }
}

void run_units(const PackedWeights& weights, Worker& worker, const Instruction& i, const Matmul& product,
               const ProductShare& share) {
  const auto [rows, units] = share;
  for (std::size_t k = 0; k < product.factors.size(); ++k) {
    const Factor& factor = product.factors[k];
    worker.products.clear();
    for (std::size_t p = 0; p < factor.outs.size(); ++p)
      worker.products.push_back({worker.write(i.out[factor.outs[p]]), factor.add[p] != 0});
    worker.count_weight(factor.weight, units);
    cpu::matmul(worker.read(i.in[k]), rows.begin, rows.end, weights[factor.weight], worker.products, units.begin,
                units.end, worker.scratch);
  }
}

/// Computes the loss tile by tile. A tile has as many rows as a block of the sum in matmul_tn. So all gradients are
/// bit-identical to those of products over all rows at once, for any number of threads.
void run_linear_cross_entropy(const PackedWeights& weights, Worker& worker, const WorkPart& work, const Instruction& i,
                              const LinearCrossEntropy& entropy, RowRange rows) {
  const std::int32_t height = worker.program->tensors[entropy.tile.id].max_rows;
  if (rows.begin == rows.end && i.out.size() > 1)
    run_gradients(weights, worker, work, i, entropy, rows, false);  // zeroes the gradients
  for (std::int32_t begin = rows.begin; begin < rows.end; begin += height) {
    if (begin > rows.begin) worker.wait();  // until all workers have read the preceding tile
    const RowRange tile{begin, std::min(begin + height, rows.end)};
    run_loss(weights, worker, work, i, entropy, tile);
    if (i.out.size() == 1) continue;
    worker.wait();
    run_gradients(weights, worker, work, i, entropy, tile, begin > rows.begin);
  }
}

}  // namespace cavs::inline v0_1
