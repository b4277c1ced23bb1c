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

  /// The worker's share.
  void run(Worker& worker, const Instruction& instruction);
  /// Parts that somebody else has chosen, of what works row by row and of products: units of 16 columns (of each gate),
  /// or rows.
  void run_units(Worker& worker, const Instruction& instruction, RowRange rows, Range<int> units) const;
  void run_rows(Worker& worker, const Instruction& instruction, RowRange rows) const;
  /// See ProductRunner.
  void run_sums(Worker& worker, const Instruction& instruction, RowRange rows, Range<int> units, float* sums) const;
  void add_sums(Worker& worker, const Instruction& instruction, RowRange rows, Range<int> units,
                std::span<const float* const> sums) const;
  /// See Reductions.
  void finish_gradients(Worker& worker) { reductions_.finish(worker); }
  /// See RowGroupRunner.
  std::int64_t tile_bytes(const Plan& plan, int workers) const { return groups_.tile_bytes(plan, workers); }

 private:
  void run_part(Worker& worker, const Instruction& instruction, RowRange rows) const;

  ProductRunner products_;
  RowRunner rows_;
  RowGroupRunner groups_;
  Reductions reductions_;
  LinearCrossEntropyRunner entropy_;
};

}  // namespace cavs
