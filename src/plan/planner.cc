#include "plan/planner.h"

#include "plan/plan_draft.h"
#include "plan/random_rows.h"

namespace cavs {

Planner::Planner(const Program& program, Streaming streaming, int workers)
    : program_(program),
      streaming_(streaming),
      edges_(program),
      ports_(program),
      lists_(edges_, ports_),
      ranges_(program, ports_),
      steps_(ranges_),
      task_parallel_(program, workers),
      chunks_(streaming, ranges_),
      lookups_(program, ports_),
      offsets_(program) {}

void Planner::make(const Minibatch& minibatch, const Schedule& schedule, Plan& plan) {
  PlanDraft draft(program_, minibatch, schedule, sources_, plan);
  for (std::int32_t t = 0; t < draft.types(); ++t) {
    edges_.add_to(draft, t);
    ports_.add_to(draft, t);
    lists_.add_to(draft, t);
  }
  add_random_rows(draft);
  steps_.add_to(draft);
  const bool parallel = streaming_ != Streaming::kOn && task_parallel_.share_out(draft, false);
  if (!parallel) chunks_.add_to(draft);
  if (program_.options.training) {
    task_parallel_.share_out(draft, true);
    state_gradients_.add_to(draft);
    lookups_.add_to(draft);
  }
  offsets_.add_to(draft);
}

}  // namespace cavs
