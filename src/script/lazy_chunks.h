#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compile/program.h"
#include "plan/plan.h"

namespace cavs::inline v0_1 {

/// A range of rows of a lazy instruction. The tasks that compute these rows' inputs are done.
struct LazyChunk {
  std::int32_t step = 0, instruction = 0;  // number of the lazy step, and index in the step's code
  RowRange rows{};                         // in the domain of the instruction
};

/// Cuts lazy work (work that no task needs) into chunks of rows whose tasks are done, so that chunks run at the same
/// time as later tasks (streaming, section 3.4 of the Cavs paper). In F, softmaxes over words are cut at tiles. In ∂F,
/// gradients of weights are cut at multiples of Target::sum_rows, beginning with the last rows, which ∂F computes
/// first. The cuts depend on the plan alone.
class LazyChunks {
 public:
  /// The program must outlive this object. @param fewest_flops  least number of floating-point operations per chunk
  LazyChunks(const Program& program, double fewest_flops);

  /// Begins a plan. @return number of floating-point operations that can be cut, plus the operations of all gradients
  /// of weights outside of tasks in ∂F
  double begin(const Plan& plan);
  /// Returns the chunks that can run once this step of the plan is done. Call it for each step, in order.
  std::span<const LazyChunk> after(std::int32_t step);
  /// Returns the rows of an instruction of a step that are in no chunk.
  RowRange rest(const Step& step, std::int32_t instruction) const;

 private:
  static constexpr int kMostCuts = 8;  // cuts in F, and in ∂F; each splits a graph of tasks in two, and adds launches
  struct Work {
    Stage stage;
    std::int32_t instruction;  // index in the code of the stage
    DomainId domain;
    double flops;        // per row
    std::int32_t grain;  // chunks begin and end at multiples of this number of rows; 0 if the work is not cut
    RowRange rest{};     // rows that are in no chunk
  };
  /// Work of F or of ∂F.
  struct Pass {
    std::vector<std::vector<Work>> works;              // [types]
    std::vector<std::int32_t> lazy_steps, last_tasks;  // [types] number of the lazy step, of the last task; or -1
    double ready = 0, enough = 0;  // flops of finished rows that are in no chunk; least flops for which work is cut
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
