#include "plan/planner.h"

#include <algorithm>

#include "plan/index_lists.h"

namespace cavs::inline v0_1 {
namespace {

/// Lists the sample and the vertex of every row if any type draws random numbers, since these depend on both.
void add_random_rows(PlanDraft& draft) {
  if (std::ranges::none_of(draft.program.types, &TypeProgram::random)) return;
  const Minibatch& m = draft.minibatch;
  Plan& plan = draft.plan;
  const Slice samples = draft.new_slice(m.vertices()), inside = draft.new_slice(m.vertices());
  for (std::int32_t k = 0; k < plan.samples; ++k)
    for (std::int32_t v = m.vertex_begin[k]; v < m.vertex_begin[k + 1]; ++v) {
      draft.at(samples)[draft.schedule.row[v]] = m.samples[k];
      draft.at(inside)[draft.schedule.row[v]] = v - m.vertex_begin[k];
    }
  for (std::size_t t = 0; t < plan.types.size(); ++t) {
    Plan::Type& type = plan.types[t];
    type.samples = {samples.begin + plan.type_begin[t], type.vertices};
    type.vertices_in_sample = {inside.begin + plan.type_begin[t], type.vertices};
  }
}

}  // namespace

Planner::Planner(const Program& program)
    : program_(program),
      edges_(program),
      ports_(program),
      steps_(program),
      lookups_(program, ports_),
      offsets_(program) {}

void Planner::make(const Minibatch& minibatch, const Schedule& schedule, Plan& plan) {
  PlanDraft draft(program_, minibatch, schedule, sources_, plan);
  for (std::int32_t t = 0; t < draft.types(); ++t) {
    edges_.add_to(draft, t);
    ports_.add_to(draft, t);
    add_index_lists(draft, t, edges_, ports_);
    Plan::Type& type = plan.types[t];
    const bool random = program_.types[t].random_edges;
    type.edge_samples = random ? edges_.samples(draft, t) : Slice();
    type.slots_in_sample = random ? edges_.slots(draft, t) : Slice();
  }
  add_random_rows(draft);
  steps_.add_to(draft);
  if (program_.options.training) {
    state_gradients_.add_to(draft);
    lookups_.add_to(draft);
  }
  offsets_.add_to(draft);
}

}  // namespace cavs::inline v0_1
