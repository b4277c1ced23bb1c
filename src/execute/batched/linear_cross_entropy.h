#pragma once

#include "execute/batched/packed_weights.h"
#include "execute/batched/worker.h"

namespace cavs {

/// Runs products whose cross-entropy is taken at once: tile by tile, gradients included.
class LinearCrossEntropyRunner {
 public:
  LinearCrossEntropyRunner(const PackedWeights& weights, cpu::Precision precision)
      : weights_(weights), precision_(precision) {}

  /// All workers.
  void run(Worker& worker, const WorkPart& who, const Instruction& instruction, const LinearCrossEntropy& entropy,
           RowRange rows) const;

 private:
  /// The worker's share of a product of so many rows.
  void multiply(Worker& worker, const WorkPart& who, std::int32_t weight, const ConstRows& x, std::int32_t count,
                const Rows& y) const;
  void run_loss(Worker& worker, const WorkPart& who, const Instruction& instruction, const LinearCrossEntropy& entropy,
                RowRange rows) const;
  void run_gradients(Worker& worker, const WorkPart& who, const Instruction& instruction,
                     const LinearCrossEntropy& entropy, RowRange rows, bool accumulate) const;

  const PackedWeights& weights_;
  cpu::Precision precision_;
};

}  // namespace cavs
