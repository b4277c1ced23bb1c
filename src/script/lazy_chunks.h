#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compile/program.h"
#include "plan/plan.h"

namespace cavs::inline v0_1 {

/// Rows of an instruction of a lazy step that need no more than the tasks that are done.
struct LazyChunk {
  std::int32_t step = 0, instruction = 0;
  RowRange rows{};  // of the instruction's domain
};

/// Cuts lazy work into chunks of rows that tasks have finished, so that they can run beside later tasks: streaming,
/// section 3.4 of the Cavs paper. In F it cuts softmaxes over words, at tiles; in ∂F gradients of weights, at multiples
/// of Target::sum_rows, the last rows first, as ∂F makes them. The cuts depend on the plan alone.
class LazyChunks {
 public:
  /// The program outlives it. @param fewest_flops  floating-point operations of a chunk
  LazyChunks(const Program& program, double fewest_flops);

  /// @return the operations of what can be cut, and of all gradients of weights that ∂F sums outside of tasks
  double begin(const Plan& plan);
  /// Chunks that can run when this step of the plan is done. Called for each step, in order.
  std::span<const LazyChunk> after(std::int32_t step);
  /// Rows of an instruction of a step that are in no chunk.
  RowRange rest(const Step& step, std::int32_t instruction) const;

 private:
  static constexpr int kMostCuts = 8;  // of a pass: each costs a graph of tasks, and launches
  struct Work {
    Stage stage;
    std::int32_t instruction;
    DomainId domain;
    double flops;        // of a row
    std::int32_t grain;  // chunks begin and end at multiples of so many rows; 0: it is not cut
    RowRange rest{};
  };
  /// F, or ∂F.
  struct Pass {
    std::vector<std::vector<Work>> works;              // [types]
    std::vector<std::int32_t> lazy_steps, last_tasks;  // [types] steps, -1: none so far
    double ready = 0, enough = 0;  // operations of rows whose tasks are done, that are in no chunk; for a cut
  };

  void add(const TypeProgram& type, bool backward, Stage stage, std::int32_t instruction,
           std::vector<Work>& works) const;
  void cut(Pass& pass, bool backward);

  const Program& program_;
  const double fewest_flops_;
  std::array<Pass, 2> passes_;
  std::vector<LazyChunk> chunks_;
  const Plan* plan_ = nullptr;
};

}  // namespace cavs::inline v0_1
