#pragma once

#include <vector>

#include "plan/plan_draft.h"
#include "plan/step_ranges.h"

namespace cavs::inline v0_1 {

/// Lists the steps in the order in which they run: of F the eager ones, the tasks, the lazy ones; of ∂F the same, the
/// tasks in reverse.
class StepList {
 public:
  explicit StepList(const Program& program) : ranges_(program) {}

  /// After the lists of all types.
  void add_to(PlanDraft& draft);

 private:
  void add_direction(PlanDraft& draft, bool backward);
  void add(PlanDraft& draft, Step step, RowRange vertices);

  StepRanges ranges_;
  std::vector<Slice> task_ranges_;  // [tasks] Step::ranges, which a task of F and ∂F shares
};

}  // namespace cavs::inline v0_1
