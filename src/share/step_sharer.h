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

/// The workers that run a step: either the team shares the step, or one worker runs it alone.
struct StepShare {
  static constexpr std::int32_t kTeam = -1;
  std::int32_t worker = kTeam;
  bool waits = false;  // true to wait for all workers before the step, even if one worker runs it

  bool one_worker() const { return worker != kTeam; }
  bool operator==(const StepShare&) const = default;
};

/// [steps of a plan] the share of the step.
using StepShares = std::vector<StepShare>;

/// Number of floating-point operations that a worker does, on few rows, in the time of a barrier (about 0.3 µs).
constexpr double kFlopsInAWait = 32768;

/// True if one worker runs the step in at most the time that the team would spend at the step's barriers.
inline bool is_small(const CodeCost& cost, double flops, double factor = 1) {
  return !cost.needs_team && flops < factor * kFlopsInAWait * cost.waits;
}

/// Decides which workers of a team run each step of a plan. Worker 0 runs small steps. Independent tasks, such as the
/// two directions of a BiLSTM, run at the same time on one worker each if that is faster than sharing each task. Such
/// workers need no barrier until a worker reads what another has written. Reuses its work arrays.
class StepSharer {
 public:
  /// The program must outlive the object.
  StepSharer(const Program& program, int workers);

  /// Until the next barrier, one worker runs all tasks of a type, since the tensors of a task use the memory of the
  /// type's preceding task. Cost: linear in the steps, and in vertices + edges unless there is one worker or only one
  /// type has tasks. In the steady state allocates nothing.
  /// @param forward_beside  true if tasks of F may run at the same time. Tasks of ∂F always may.
  /// @return true if any tasks of F run at the same time
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
  std::vector<std::int32_t> task_of_row_, seen_;  // [rows of the states] task of the row; [tasks] scratch of link()
  std::vector<std::pair<std::int32_t, std::int32_t>> links_;  // pairs: a task, and a task that it needs
  std::vector<std::int32_t> link_begin_, needed_;  // [tasks + 1] first entry of the task in needed_, the needed tasks

  // The current section, which is the steps between two barriers.
  std::int32_t section_ = 0;
  std::size_t begin_ = 0;
  double shared_ = 0;                         // time of the section in flops per worker, if the team shares its steps
  std::vector<double> load_;                  // [workers] flops of its steps
  std::vector<std::int32_t> worker_of_type_;  // [types] worker of the type's tasks, or -1 if none yet
  std::vector<std::int32_t> section_of_, worker_of_;  // [tasks] section and worker of the task
};

}  // namespace cavs::inline v0_1
