#include "plan/step_list.h"

#include <span>

namespace cavs::inline v0_1 {

void StepList::add_to(PlanDraft& draft) {
  task_ranges_.assign(draft.schedule.tasks.size(), {});
  add_direction(draft, false);
  if (draft.program.options.training) add_direction(draft, true);
}

void StepList::add_direction(PlanDraft& draft, bool backward) {
  const auto add_all = [&](Stage stage) {
    for (std::int32_t t = 0; t < draft.types(); ++t)
      add(draft, {t, backward, stage}, {0, draft.plan.types[t].vertices});
  };
  add_all(Stage::kEager);
  const auto tasks = static_cast<std::int32_t>(draft.schedule.tasks.size());
  for (std::int32_t k = 0; k < tasks; ++k) {
    const std::int32_t number = backward ? tasks - 1 - k : k;  // ∂F pops the stack of tasks (Cavs, section 3.2)
    const Task& task = draft.schedule.tasks[number];
    add(draft, {.type = task.type, .backward = backward, .stage = Stage::kTask, .task = number},
        {task.begin, task.end});
  }
  add_all(Stage::kLazy);
}

/// Adds the step if it has vertices and instructions, and if the caller does not keep the type's states.
void StepList::add(PlanDraft& draft, Step step, RowRange vertices) {
  const TypeProgram& program = draft.program.types[step.type];
  if (vertices.begin == vertices.end || program.at(step.backward, step.stage).empty() ||
      draft.minibatch.is_kept(step.type))
    return;
  if (step.task >= 0) step.ranges = task_ranges_[step.task];
  if (step.ranges.count == 0) {
    step.ranges = draft.new_slice(StepRanges::count(draft.plan, step.type));
    ranges_.write(draft.plan, step.type, step.stage, vertices, draft.at(step.ranges));
  }
  if (step.task >= 0) task_ranges_[step.task] = step.ranges;
  const std::span<const double> flops = program.cost_at(step.backward, step.stage).flops;
  for (std::size_t d = 0; d < flops.size(); ++d) {
    const RowRange rows = draft.plan.range(step, static_cast<DomainId>(d));
    step.flops += flops[d] * (rows.end - rows.begin);
  }
  draft.plan.steps.push_back(step);
}

}  // namespace cavs::inline v0_1
