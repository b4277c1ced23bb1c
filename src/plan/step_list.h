#pragma once

#include <vector>

#include "plan/plan_draft.h"
#include "plan/step_ranges.h"

namespace cavs {

/// Lists the steps in the order in which they run: of F the eager ones, the tasks, the lazy ones; of ∂F the same, the
/// tasks in reverse.
class StepList {
 public:
  explicit StepList(const StepRanges& ranges) : ranges_(ranges) {}

  /// Every step is the team's, or worker 0's where it is small.
  void add_to(PlanDraft& draft);

 private:
  void add_direction(PlanDraft& draft, bool backward);
  void add(PlanDraft& draft, Step step, RowRange vertices);

  const StepRanges& ranges_;
  std::vector<Slice> task_ranges_;  // [tasks] Step::ranges, which a task of F and ∂F shares
};

}  // namespace cavs
