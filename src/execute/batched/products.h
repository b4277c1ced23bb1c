#pragma once

#include "execute/batched/packed_weights.h"
#include "execute/batched/worker.h"

namespace cavs {

/// Runs products of rows with packed weights.
class ProductRunner {
 public:
  explicit ProductRunner(const PackedWeights& weights) : weights_(weights) {}

  /// The worker's share, by columns of the weight or by rows.
  void run(Worker& worker, const Instruction& instruction, const Matmul& product, RowRange rows) const;
  /// The worker's units of all factors (Worker::units), block by block of rows, or on one block.
  void run_blocks(Worker& worker, const Instruction& instruction, const Matmul& product, RowRange rows) const;
  void run_units(Worker& worker, const Instruction& instruction, const Matmul& product, RowRange rows) const;
  /// Of a product with transposed views: the sums over some units of the viewed weights, which are whole parts of the
  /// sum, to rows of the results side by side; and the worker's units of the results, from everybody's sums.
  void run_sums(Worker& worker, const Instruction& instruction, const Matmul& product, RowRange rows, Range<int> units,
                float* sums) const;
  void add_sums(Worker& worker, const Instruction& instruction, const Matmul& product, RowRange rows, Range<int> units,
                std::span<const float* const> sums) const;
  /// Of the product that an instruction is, or that leads it; 0: none.
  int units(const Instruction& instruction) const;

 private:
  void multiply_views(Worker& worker, const Instruction& instruction, const Matmul& product, RowRange rows) const;

  const PackedWeights& weights_;
};

}  // namespace cavs
