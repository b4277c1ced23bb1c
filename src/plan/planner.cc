#include "plan/planner.h"

#include "plan/plan_draft.h"
#include "plan/random_rows.h"

namespace cavs {

Planner::Planner(const Program& program)
    : program_(program),
      edges_(program),
      ports_(program),
      lists_(edges_, ports_),
      steps_(program),
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
  if (program_.options.training) {
    state_gradients_.add_to(draft);
    lookups_.add_to(draft);
  }
  offsets_.add_to(draft);
}

}  // namespace cavs
