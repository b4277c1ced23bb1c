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

  /// At the end of backward: computes them after all where a sum may overflow, as the update must not begin before that
  /// is known. One thread.
  void settle(Execution& run, Gradients& gradients);
  /// Rows [begin, end) of a parameter's gradient, row-major, until the worker's next call.
  const float* rows(Execution& run, int worker, int parameter, std::int32_t begin, std::int32_t end);

 private:
  struct Operands {
    ConstRows x, dy;
    std::int32_t rows;
  };
  Operands operands_of(Worker& worker, const DeferredSum& sum) const;
  bool is_safe(const DeferredSum& sum) const;
  void run_all(const Execution& run);

  const Program& program_;
  Team& team_;
  const Workers& workers_;
  InstructionRunner& instructions_;
  cpu::Precision precision_;
};

}  // namespace cavs
