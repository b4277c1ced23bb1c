#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compile/program.h"
#include "plan/plan_draft.h"

namespace cavs {

/// Lets tasks that do not depend on each other, those of the two directions of a BiLSTM, say, run at the same time:
/// each on one worker, without a barrier as long as none reads what another worker wrote. Keeps its work arrays.
class TaskParallel {
 public:
  TaskParallel(const Program& program, int workers);

  /// Sets Step::worker and Step::waits for the tasks of one direction, where that takes less time than sharing each.
  /// Tasks of a type are one worker's until all wait: tensors of one task share their memory with the next.
  /// Cost: linear in vertices + edges; none with one worker, or where one type alone has tasks.
  /// @return whether any tasks run at the same time
  bool share_out(PlanDraft& draft, bool backward);

 private:
  void link(const Minibatch& minibatch, const Schedule& schedule, bool backward);
  std::span<const std::int32_t> needed_by(std::int32_t task) const;
  void begin_section(std::size_t step);
  bool take(const Step& step);
  bool end_section(std::size_t end, Plan& plan);

  const Program& program_;
  int workers_;
  std::vector<std::int32_t> task_of_row_, seen_;              // by row of the states; [tasks]
  std::vector<std::pair<std::int32_t, std::int32_t>> links_;  // a task, and one that is done before it
  std::vector<std::int32_t> link_begin_, needed_;             // [tasks + 1]; the links, task by task

  // Of the section at hand: the steps between two waits.
  std::int32_t section_ = 0;
  std::size_t begin_ = 0;
  double shared_ = 0;                                 // flops of a worker, if the team shares every step
  std::vector<double> load_;                          // [workers]
  std::vector<std::int32_t> worker_of_type_;          // -1: none so far
  std::vector<std::int32_t> section_of_, worker_of_;  // [tasks]
};

}  // namespace cavs
