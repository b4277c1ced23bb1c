#pragma once

#include <cstdint>
#include <vector>

#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Sums over rows, which make gradients of parameters. All workers take part in each.
class Reductions {
 public:
  explicit Reductions(const Program& program);

  /// @param matrix_rows  of the operands, where a row is a matrix
  void run(Worker& worker, const WorkPart& who, const Instruction& instruction, std::int32_t matrix_rows,
           RowRange rows);
  /// At the end of ∂F: adds what is left in partial sums, and makes gradients that nothing was added to zero.
  void finish(Worker& worker);

 private:
  void run_on(Worker& worker, const WorkPart& who, const Instruction& instruction, std::int32_t matrix_rows,
              RowRange rows, std::int32_t count, float* sum, bool accumulate) const;
  void join_partial_sum(Worker& worker, std::int32_t parameter) const;

  const Program& program_;
  std::vector<std::vector<float>> partial_sums_;  // [parameters] of gradients that tasks add to, else empty
};

}  // namespace cavs::inline v0_1
