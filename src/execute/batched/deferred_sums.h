#pragma once

#include <cstdint>

#include "execute/batched/instruction_runner.h"

namespace cavs::inline v0_1 {

/// Computes gradients that backward has deferred.
class DeferredSums {
 public:
  DeferredSums(const Program& program, Team& team, const Workers& workers, InstructionRunner& instructions)
      : program_(program), team_(team), workers_(workers), instructions_(instructions) {}

  /// Before the first worker checks: marks what is deferred. One thread.
  void mark(Execution& run, Gradients& gradients) const;
  /// At the end of backward: looks whether the worker's share of the sums can overflow, as the update must not begin
  /// before that is known. Every worker.
  void check(Execution& run, int worker) const;
  /// When all have done so.
  static bool is_safe(const Execution& run);
  /// Computes them after all. One thread.
  void compute(Execution& run, Gradients& gradients);
  /// Rows [begin, end) of a gradient that backward has deferred, row-major, until the worker's next call.
  const float* rows(Execution& run, int worker, int parameter, std::int32_t begin, std::int32_t end);
  /// The rows that such a gradient sums, in fp32, until the worker's next call.
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
