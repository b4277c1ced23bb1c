#pragma once

#include "execute/batched/packed_weights.h"
#include "execute/batched/worker.h"

namespace cavs {

/// Runs products of rows with packed weights.
class ProductRunner {
 public:
  explicit ProductRunner(const PackedWeights& weights) : weights_(weights) {}

  /// The worker's share, by columns of the weight or by rows.
  void run(Worker& worker, const WorkPart& who, const Instruction& instruction, const Matmul& product,
           RowRange rows) const;
  /// These units of all factors, on one block of rows.
  void run_units(Worker& worker, const Instruction& instruction, const Matmul& product,
                 const ProductShare& share) const;

 private:
  const PackedWeights& weights_;
};

}  // namespace cavs
