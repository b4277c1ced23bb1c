#include "plan/random_rows.h"

#include <algorithm>

namespace cavs {

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

}  // namespace cavs
