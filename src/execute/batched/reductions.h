#pragma once

#include <cstdint>
#include <vector>

#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Computes gradients of parameters that are sums over rows, such as those of weights and biases. Called by all
/// workers.
class Reductions {
 public:
  explicit Reductions(const Program& program);

  /// @param matrix_rows  number of rows of the matrix that each row of an operand holds; 1 for a vector
  void run(Worker& worker, const WorkPart& work, const Instruction& instruction, std::int32_t matrix_rows,
           RowRange rows);
  /// At the end of ∂F, adds the remaining partial sums to their gradients, and zeroes untouched gradients.
  void finish(Worker& worker);

 private:
  void run_on(Worker& worker, const WorkPart& work, const Instruction& instruction, std::int32_t matrix_rows,
              RowRange rows, std::int32_t count, float* sum, bool accumulate) const;
  void join_partial_sum(Worker& worker, std::int32_t parameter) const;

  const Program& program_;
  std::vector<std::vector<float>> partial_sums_;  // [parameters] empty if tasks do not add to the gradient
};

}  // namespace cavs::inline v0_1
