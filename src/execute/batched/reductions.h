#pragma once

#include <cstdint>
#include <vector>

#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Computes sums over rows, which make gradients of parameters. Called by all workers.
class Reductions {
 public:
  explicit Reductions(const Program& program);

  /// @param matrix_rows  rows of the matrix that each operand row is
  void run(Worker& worker, const WorkPart& work, const Instruction& instruction, std::int32_t matrix_rows,
           RowRange rows);
  /// At the end of ∂F: adds the remaining partial sums, and zeroes gradients that nothing was added to.
  void finish(Worker& worker);

 private:
  void run_on(Worker& worker, const WorkPart& work, const Instruction& instruction, std::int32_t matrix_rows,
              RowRange rows, std::int32_t count, float* sum, bool accumulate) const;
  void join_partial_sum(Worker& worker, std::int32_t parameter) const;

  const Program& program_;
  std::vector<std::vector<float>> partial_sums_;  // [parameters] for gradients that tasks add to, else empty
};

}  // namespace cavs::inline v0_1
