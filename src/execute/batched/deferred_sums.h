#pragma once

#include <cstdint>

#include "execute/batched/instruction_runner.h"

namespace cavs {

/// Computes gradients that backward has deferred.
class DeferredSums {
 public:
  DeferredSums(const Program& program, Team& team, const Workers& workers, InstructionRunner& instructions,
               cpu::Precision precision)
      : program_(program), team_(team), workers_(workers), instructions_(instructions), precision_(precision) {}

  /// Before the first worker checks: marks what is deferred. One thread.
  void mark(Execution& run, Gradients& gradients) const;
  /// At the end of backward: looks whether the worker's share of the sums can overflow, as the update must not begin
  /// before that is known. Every worker.
  void check(Execution& run, int worker) const;
  /// When all have done so.
  static bool is_safe(const Execution& run);
  /// Computes them after all. One thread.
  void compute(Execution& run, Gradients& gradients);
  /// Rows [begin, end) of a parameter's gradient, row-major, until the worker's next call.
  const float* rows(Execution& run, int worker, int parameter, std::int32_t begin, std::int32_t end);
  /// What these rows are sums of.
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
  cpu::Precision precision_;
};

}  // namespace cavs
