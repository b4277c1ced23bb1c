#pragma once

#include "execute/batched/reductions.h"
#include "execute/batched/row_groups.h"
#include "execute/batched/row_runner.h"

namespace cavs::inline v0_1 {

/// Runs one instruction of a worker's step, with the code for the instruction's kind.
class InstructionRunner {
 public:
  /// @param weights  must outlive the object
  InstructionRunner(const Program& program, const PackedWeights& weights, std::uint64_t seed);
  InstructionRunner(const InstructionRunner&) = delete;
  InstructionRunner& operator=(const InstructionRunner&) = delete;

  /// Runs the worker's part of an instruction.
  void run(Worker& worker, const WorkPart& work, const Instruction& instruction);
  /// Calls Reductions::finish.
  void finish_gradients(Worker& worker) { reductions_.finish(worker); }
  /// Calls RowGroupRunner::tile_bytes.
  std::int64_t tile_bytes(const Plan& plan, int workers) const { return groups_.tile_bytes(plan, workers); }

 private:
  const PackedWeights& weights_;
  RowRunner rows_;
  RowGroupRunner groups_;
  Reductions reductions_;
};

}  // namespace cavs::inline v0_1
