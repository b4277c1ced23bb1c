#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

/// How a step is run: the team shares it, or this worker runs it alone.
struct StepShare {
  static constexpr std::int32_t kTeam = -1;
  std::int32_t worker = kTeam;
  bool waits = false;  // for all workers, also where it and the step before it are one worker's each

  bool one_worker() const { return worker != kTeam; }
  bool operator==(const StepShare&) const = default;
};

/// [steps of a plan]
using StepShares = std::vector<StepShare>;

/// Floating-point operations of a worker, where rows are few, in the time that the team waits for each other at a
/// barrier: some third of a microsecond.
constexpr double kFlopsInAWait = 32768;

/// True if one worker takes no longer than the workers would wait for each other at the step's barriers.
inline bool is_small(const CodeCost& cost, double flops, double factor = 1) {
  return !cost.needs_team && flops < factor * kFlopsInAWait * cost.waits;
}

/// Says who of a team runs each step of a plan. Small steps are worker 0's. Tasks that do not depend on each other,
/// those of the two directions of a BiLSTM, say, run at the same time where that takes less time than sharing each: on
/// one worker each, without a barrier as long as none reads what another worker wrote. Keeps its work arrays.
class StepSharer {
 public:
  /// The program outlives it.
  StepSharer(const Program& program, int workers);

  /// Tasks of a type are one worker's until all wait: tensors of one task share their memory with the next.
  /// Cost: linear in the steps, and in vertices + edges unless there is one worker, or one type alone has tasks.
  /// Allocates nothing once grown to the largest minibatch.
  /// @param forward_beside  tasks of F may run at the same time, as those of ∂F may
  /// @return whether any of F do
  bool share(const Minibatch& minibatch, const Schedule& schedule, const Plan& plan, StepShares& shares,
             bool forward_beside = true);

 private:
  bool share_out(const Minibatch& minibatch, const Schedule& schedule, bool backward);
  void link(const Minibatch& minibatch, const Schedule& schedule, bool backward);
  std::span<const std::int32_t> needed_by(std::int32_t task) const;
  void begin_section(std::size_t step);
  bool take(std::size_t step);
  bool end_section(std::size_t end);

  const Program& program_;
  int workers_;
  const Plan* plan_ = nullptr;
  StepShares* shares_ = nullptr;
  std::vector<std::int32_t> task_of_row_, seen_;              // by row of the states; [tasks]
  std::vector<std::pair<std::int32_t, std::int32_t>> links_;  // a task, and one that is done before it
  std::vector<std::int32_t> link_begin_, needed_;             // [tasks + 1]; the links, task by task

  // The section at hand: the steps between two waits.
  std::int32_t section_ = 0;
  std::size_t begin_ = 0;
  double shared_ = 0;                                 // flops of a worker, if the team shares every step
  std::vector<double> load_;                          // [workers]
  std::vector<std::int32_t> worker_of_type_;          // -1: none so far
  std::vector<std::int32_t> section_of_, worker_of_;  // [tasks]
};

}  // namespace cavs::inline v0_1
