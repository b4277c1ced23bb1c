#include "plan/plan_draft.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/check.h"

namespace cavs::inline v0_1 {

PlanDraft::PlanDraft(const Program& p, const Minibatch& m, const Schedule& s, std::vector<std::int64_t>& sources,
                     Plan& to)
    : program(p), minibatch(m), schedule(s), plan(to), sources_(sources) {
  plan.rows.clear();
  plan.steps.clear();
  plan.samples = static_cast<std::int32_t>(m.samples.size());
  plan.types.resize(p.types.size());
  plan.type_begin.assign(s.type_begin.begin(), s.type_begin.end());
  plan.one_parent.assign(p.states.size(), 0);
  for (std::int32_t t = 0; t < types(); ++t) {
    plan.types[t].vertices = s.type_begin[t + 1] - s.type_begin[t];
    plan.types[t].lookups.assign(p.types[t].indices.size(), {});
  }
  sources_.resize(m.vertices());
  for (std::int32_t k = 0; k < plan.samples; ++k) {
    const std::int64_t shift = m.source(k, 0);
    for (std::int32_t v = m.vertex_begin[k]; v < m.vertex_begin[k + 1]; ++v) sources_[s.row[v]] = shift + v;
  }
}

Slice PlanDraft::new_slice(std::int64_t count) {
  const std::size_t begin = plan.rows.size();
  user_check(begin + static_cast<std::size_t>(count) <= std::numeric_limits<std::int32_t>::max(),
             "the plan of a minibatch of {} vertices has more than 2^31 rows; try a smaller batch size",
             minibatch.vertices());
  plan.rows.resize(begin + static_cast<std::size_t>(count));
  return {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(count)};
}

Slice PlanDraft::identity(std::int32_t count) {
  if (identity_.count < count) {
    const auto& largest = *std::max_element(minibatch.type_count.begin(), minibatch.type_count.end());
    identity_ = new_slice(largest + 1);
    std::iota(at(identity_), at(identity_) + identity_.count, 0);
  }
  return {identity_.begin, count};
}

}  // namespace cavs::inline v0_1
