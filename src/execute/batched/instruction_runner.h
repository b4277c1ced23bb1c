#pragma once

#include "execute/batched/linear_cross_entropy.h"
#include "execute/batched/products.h"
#include "execute/batched/reductions.h"
#include "execute/batched/row_groups.h"
#include "execute/batched/row_runner.h"

namespace cavs {

/// Runs one instruction of the step that the workers are in, by what it is.
class InstructionRunner {
 public:
  /// @param weights  outlive it
  InstructionRunner(const Program& program, const PackedWeights& weights, cpu::Precision precision, std::uint64_t seed);
  InstructionRunner(const InstructionRunner&) = delete;
  InstructionRunner& operator=(const InstructionRunner&) = delete;

  /// The part that is the worker's.
  void run(Worker& worker, const WorkPart& who, const Instruction& instruction);
  /// See Reductions.
  void finish_gradients(Worker& worker) { reductions_.finish(worker); }
  /// See RowGroupRunner.
  std::int64_t tile_bytes(const Plan& plan, int workers) const { return groups_.tile_bytes(plan, workers); }

 private:
  ProductRunner products_;
  RowRunner rows_;
  RowGroupRunner groups_;
  Reductions reductions_;
  LinearCrossEntropyRunner entropy_;
};

}  // namespace cavs
