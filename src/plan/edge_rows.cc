#include "plan/edge_rows.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

bool has_edge_rows(const TypeProgram& type) {
  const auto by_edge = [](const auto& x) { return x.domain == kEdgeRows; };
  bool any = false;
  each_code(type, [&](const Code& code, bool, Stage) {
    for (const Instruction& i : code) any = any || by_edge(i) || std::any_of(i.in.begin(), i.in.end(), by_edge);
  });
  return any || std::any_of(type.tensors.begin(), type.tensors.end(), by_edge) ||
         std::any_of(type.indices.begin(), type.indices.end(), [](const auto& i) { return i.by_edge(); });
}

/// Makes a list with entry value(child slot in the data set) per edge.
template <typename F>
Slice list_slots(PlanDraft& draft, std::int32_t type, F value) {
  const Slice slice = draft.new_slice(draft.plan.types[type].edges);
  std::int32_t* out = draft.at(slice);
  for (std::int32_t r = 0; r < draft.plan.types[type].vertices; ++r)
    each_edge(draft, type, r, [&](std::int64_t slot) { *out++ = value(slot); });
  return slice;
}

/// Makes a list with entry value(child slot in the data set, first slot of the sample, sample) per edge.
template <typename F>
Slice list_by_sample(PlanDraft& draft, std::int32_t type, F value) {
  const Minibatch& m = draft.minibatch;
  const GraphSet& graphs = m.bound->graphs();
  const Slice slice = draft.new_slice(draft.plan.types[type].edges);
  std::int32_t* out = draft.at(slice);
  for (std::int32_t r = 0; r < draft.plan.types[type].vertices; ++r) {
    const auto after = std::ranges::upper_bound(m.vertex_begin, draft.vertices(type)[r]);
    const std::int32_t sample = m.samples[static_cast<std::size_t>(after - m.vertex_begin.begin() - 1)];
    const std::int64_t first = graphs.child_begin()[graphs.vertex_begin()[sample]];
    each_edge(draft, type, r, [&](std::int64_t slot) { *out++ = value(slot, first, sample); });
  }
  return slice;
}

}  // namespace

EdgeRows::EdgeRows(const Program& program) {
  for (const TypeProgram& type : program.types) is_used_.push_back(has_edge_rows(type) ? 1 : 0);
}

void EdgeRows::add_to(PlanDraft& draft, std::int32_t type) {
  Plan::Type& plan = draft.plan.types[type];
  plan.edges = plan.max_edges = 0;
  plan.segments = vertices_ = {};
  if (is_used_[type] == 0) return;
  plan.segments = draft.new_slice(plan.vertices + 1);
  const Minibatch& m = draft.minibatch;
  const std::int32_t *vertex = draft.vertices(type), *begin = m.child_begin.data();
  const std::int32_t first = draft.program.types[type].first_edge_slot;
  const bool all_present = static_cast<std::size_t>(m.edges) == m.children.size();
  std::int32_t *segments = draft.at(plan.segments), edges = 0, most = 0;
  for (std::int32_t r = 0; r < plan.vertices; ++r) {
    segments[r] = edges;
    const std::int32_t end = begin[vertex[r] + 1], slot = std::min(begin[vertex[r]] + first, end);
    edges += end - slot;
    if (!all_present)
      edges -= static_cast<std::int32_t>(std::count(m.children.data() + slot, m.children.data() + end, -1));
    most = std::max(most, edges - segments[r]);
  }
  plan.max_edges = most;
  segments[plan.vertices] = plan.edges = edges;
}

Slice EdgeRows::vertices(PlanDraft& draft, std::int32_t type) {
  const Plan::Type& plan = draft.plan.types[type];
  if (vertices_.count > 0) return vertices_;
  vertices_ = draft.new_slice(plan.edges);
  const std::int32_t* segments = draft.at(plan.segments);
  std::int32_t* out = draft.at(vertices_);
  for (std::int32_t r = 0; r < plan.vertices; ++r)
    for (std::int32_t e = segments[r]; e < segments[r + 1]; ++e) out[e] = r;
  return vertices_;
}

Slice EdgeRows::children(PlanDraft& draft, std::int32_t type) const {
  const Minibatch& m = draft.minibatch;
  const Plan::Type& plan = draft.plan.types[type];
  const Slice slice = draft.new_slice(plan.edges);
  const std::int32_t *vertex = draft.vertices(type), *begin = m.child_begin.data(), *children = m.children.data(),
                     *row = draft.schedule.row.data();
  const std::int32_t first = draft.program.types[type].first_edge_slot;
  std::int32_t* out = draft.at(slice);
  for (std::int32_t r = 0; r < plan.vertices; ++r)
    for (std::int32_t k = begin[vertex[r]] + first; k < begin[vertex[r] + 1]; ++k)
      if (children[k] >= 0) *out++ = row[children[k]];
  return slice;
}

Slice EdgeRows::data_rows(PlanDraft& draft, std::int32_t type) const {
  return list_slots(draft, type, [](std::int64_t slot) { return static_cast<std::int32_t>(slot); });
}

Slice EdgeRows::values(PlanDraft& draft, std::int32_t type, const std::string& port) const {
  const std::span<const std::int32_t> values = draft.minibatch.bound->edge_index_port(port);
  return list_slots(draft, type, [&](std::int64_t slot) { return values[slot]; });
}

Slice EdgeRows::samples(PlanDraft& draft, std::int32_t type) const {
  return list_by_sample(draft, type, [](std::int64_t, std::int64_t, std::int32_t sample) { return sample; });
}

Slice EdgeRows::slots(PlanDraft& draft, std::int32_t type) const {
  return list_by_sample(draft, type, [](std::int64_t slot, std::int64_t first, std::int32_t) {
    return static_cast<std::int32_t>(slot - first);
  });
}

Slice EdgeRows::spread(PlanDraft& draft, std::int32_t type, Slice by_vertex) {
  const Slice rows = vertices(draft, type), slice = draft.new_slice(rows.count);
  const std::int32_t *values = draft.at(by_vertex), *vertex = draft.at(rows);
  std::int32_t* out = draft.at(slice);
  for (std::int32_t e = 0; e < slice.count; ++e) out[e] = values[vertex[e]];
  return slice;
}

}  // namespace cavs::inline v0_1
