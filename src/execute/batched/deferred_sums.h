#pragma once

#include <cstdint>

#include "execute/batched/instruction_runner.h"

namespace cavs::inline v0_1 {

/// Computes gradients that the backward pass has deferred.
class DeferredSums {
 public:
  DeferredSums(const Program& program, Team& team, const Workers& workers, InstructionRunner& instructions)
      : program_(program), team_(team), workers_(workers), instructions_(instructions) {}

  /// Marks the deferred gradients in `gradients`. Call it on one thread, before the first worker calls check().
  void mark(Execution& run, Gradients& gradients) const;
  /// Checks at the end of the backward pass, for the worker's share of the sums, that none can overflow. Otherwise the
  /// update may not begin. Called by every worker.
  void check(Execution& run, int worker) const;
  /// True if no sum can overflow. Called when all workers have checked.
  static bool is_safe(const Execution& run);
  /// Computes the deferred gradients now. Called on one thread.
  void compute(Execution& run, Gradients& gradients);
  /// Returns rows [begin, end) of a deferred gradient, row-major. Valid until the worker's next call.
  const float* rows(Execution& run, int worker, int parameter, std::int32_t begin, std::int32_t end);
  /// Returns the rows that a deferred gradient sums, in fp32. Valid until the worker's next call.
  const cpu::GradientRows& summed_rows(Execution& run, int worker, int parameter);

 private:
  struct Operands {
    ConstRows x, dy;
    std::int32_t rows;
  };
  Operands operands_of(Worker& worker, const DeferredSum& sum) const;

  const Program& program_;
  Team& team_;
  const Workers& workers_;
  InstructionRunner& instructions_;
};

}  // namespace cavs::inline v0_1
