#pragma once

#include <vector>

#include "plan/plan_draft.h"
#include "plan/step_ranges.h"

namespace cavs::inline v0_1 {

/// Lists the steps in the order in which they run: eager steps, tasks and lazy steps of F, then those of ∂F, with the
/// tasks in reverse order.
class StepList {
 public:
  explicit StepList(const Program& program) : ranges_(program) {}

  /// Before: the lists of all types are added.
  void add_to(PlanDraft& draft);

 private:
  void add_direction(PlanDraft& draft, bool backward);
  void add(PlanDraft& draft, Step step, RowRange vertices);

  StepRanges ranges_;
  std::vector<Slice> task_ranges_;  // [tasks] Step::ranges of the task, which F and ∂F share
};

}  // namespace cavs::inline v0_1
