#include <algorithm>
#include <limits>

#include "plan/plan.h"
#include "support/check.h"

namespace cavs {

void Planner::plan_type(std::int32_t type) {
  const TypeProgram& program = program_.types[type];
  Plan::Type& plan = plan_->types[type];
  plan.vertices = plan_->type_begin[type + 1] - plan_->type_begin[type];
  plan.edges = plan.max_edges = 0, plan.segments = {}, edge_vertices_ = {};
  if (uses_edges_[type] != 0) plan_segments(type);
  plan_ports(type);
  plan.indices.resize(program.indices.size());
  plan.lookups.assign(program.indices.size(), {});
  static const Port no_port;
  for (std::size_t i = 0; i < program.indices.size(); ++i) {
    const std::int32_t port = port_of_index_[type][i];
    plan.indices[i] = plan_index(type, program.indices[i], port < 0 ? no_port : ports_[type][port]);
  }
}

void Planner::plan_segments(std::int32_t type) {
  Plan::Type& plan = plan_->types[type];
  plan.segments = new_slice(plan.vertices + 1);
  const Minibatch& m = *minibatch_;
  const std::int32_t *vertex = vertices(type), *begin = m.child_begin.data();
  const std::int32_t first = program_.types[type].first_edge_slot;
  const bool all_present = static_cast<std::size_t>(m.edges) == m.children.size();
  std::int32_t *segments = at(plan.segments), edges = 0, most = 0;
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

void Planner::plan_ports(std::int32_t type) {
  Plan::Type& plan = plan_->types[type];
  const std::int64_t* source = sources(type);
  for (Port& port : ports_[type]) {
    const std::int32_t* values = minibatch_->bound->index_port(port.name).data();
    port.values = new_slice(plan.vertices);
    std::int32_t *out = at(port.values), present = 0;
    for (std::int32_t r = 0; r < plan.vertices; ++r) {
      out[r] = values[source[r]];
      present += out[r] >= 0 ? 1 : 0;
    }
    port.present = present;
  }
  plan.partial.resize(program_.types[type].partial_domains.size());
  plan.equal.assign(plan.partial.size(), {});
  for (std::size_t p = 0; p < plan.partial.size(); ++p) {
    Port& port = ports_[type][p];
    if (port.distinct) {
      plan_distinct(type, port);
      plan.partial[p] = port.number_of.count;
      if (program_.options.training) plan.equal[p] = group_equal(type, port);
      continue;
    }
    plan.partial[p] = port.present;
    const bool all = port.present == plan.vertices;
    port.before = all ? identity(plan.vertices + 1) : new_slice(plan.vertices + 1);
    if (all) continue;
    std::int32_t *before = at(port.before), count = 0;
    const std::int32_t* values = at(port.values);
    for (std::int32_t r = 0; r < plan.vertices; ++r) {
      before[r] = count;
      count += values[r] >= 0 ? 1 : 0;
    }
    before[plan.vertices] = count;
  }
}

/// The identity of every row, for random numbers.
void Planner::plan_random() {
  const auto is_random = [](const TypeProgram& type) { return type.random; };
  if (std::none_of(program_.types.begin(), program_.types.end(), is_random)) return;
  const Minibatch& m = *minibatch_;
  const Slice samples = new_slice(m.vertices()), inside = new_slice(m.vertices());
  for (std::int32_t k = 0; k < plan_->samples; ++k)
    for (std::int32_t v = m.vertex_begin[k]; v < m.vertex_begin[k + 1]; ++v) {
      at(samples)[schedule_->row[v]] = m.samples[k];
      at(inside)[schedule_->row[v]] = v - m.vertex_begin[k];
    }
  for (std::size_t t = 0; t < plan_->types.size(); ++t) {
    Plan::Type& type = plan_->types[t];
    type.samples = {samples.begin + plan_->type_begin[t], type.vertices};
    type.vertices_in_sample = {inside.begin + plan_->type_begin[t], type.vertices};
  }
}

/// Lists that are equal share their memory.
Slice Planner::plan_index(std::int32_t type, const IndexRequest& request, const Port& port) {
  const std::int32_t count = plan_->types[type].vertices;
  const bool all_present = port.present == count;
  switch (request.kind) {
    case IndexKind::kGather:
      return plan_gather(type, request.k);
    case IndexKind::kChildren:
      return plan_children(type);
    case IndexKind::kEdgeVertex:
      return edge_vertices(type);
    case IndexKind::kEdgePartial:
      return spread_to_edges(type, plan_partial_rows(type, port));
    case IndexKind::kVertexPartial:
      return plan_partial_rows(type, port);
    case IndexKind::kPartialVertex:
      if (port.distinct) return port.vertices;
      return all_present ? identity(count) : list_present(type, port, [](std::int32_t r, std::int32_t) { return r; });
    case IndexKind::kPort:
      if (request.domain >= kPartialRows && port.distinct) return port.number_of;
      if (request.domain == kVertexRows || all_present) return port.values;
      return list_present(type, port, [](std::int32_t, std::int32_t value) { return value; });
    case IndexKind::kPullRow:
      return plan_pull_rows(type, request.port);
  }
  return {};
}

Slice Planner::plan_gather(std::int32_t type, std::int32_t child) {
  const Minibatch& m = *minibatch_;
  const Slice slice = new_slice(plan_->types[type].vertices);
  const std::int32_t *vertex = vertices(type), *begin = m.child_begin.data(), *children = m.children.data(),
                     *row = schedule_->row.data();
  std::int32_t* out = at(slice);
  for (std::int32_t r = 0; r < slice.count; ++r) {
    const std::int32_t k = begin[vertex[r]] + child;
    const std::int32_t c = k < begin[vertex[r] + 1] ? children[k] : -1;
    out[r] = c >= 0 ? row[c] : -1;
  }
  return slice;
}

Slice Planner::plan_children(std::int32_t type) {
  const Minibatch& m = *minibatch_;
  const Plan::Type& plan = plan_->types[type];
  const Slice slice = new_slice(plan.edges);
  const std::int32_t *vertex = vertices(type), *begin = m.child_begin.data(), *children = m.children.data(),
                     *row = schedule_->row.data();
  const std::int32_t first = program_.types[type].first_edge_slot;
  std::int32_t* out = at(slice);
  for (std::int32_t r = 0; r < plan.vertices; ++r)
    for (std::int32_t k = begin[vertex[r]] + first; k < begin[vertex[r] + 1]; ++k)
      if (children[k] >= 0) *out++ = row[children[k]];
  return slice;
}

Slice Planner::plan_pull_rows(std::int32_t type, const std::string& port) {
  std::int32_t number = 0;
  while (program_.float_ports[number].name != port) ++number;
  const auto& present = minibatch_->bound->float_present(number);
  const Slice slice = new_slice(plan_->types[type].vertices);
  const std::int64_t* source = sources(type);
  std::int32_t* out = at(slice);
  for (std::int32_t r = 0; r < slice.count; ++r) {
    CAVS_ASSERT(source[r] <= std::numeric_limits<std::int32_t>::max());
    out[r] = present.empty() || present[source[r]] != 0 ? static_cast<std::int32_t>(source[r]) : -1;
  }
  return slice;
}

/// value(vertex row, value of the port), for the vertices that have one.
template <typename F>
Slice Planner::list_present(std::int32_t type, const Port& port, F value) {
  const Slice slice = new_slice(port.present);
  const std::int32_t* values = at(port.values);
  std::int32_t* out = at(slice);
  for (std::int32_t r = 0; r < plan_->types[type].vertices; ++r)
    if (values[r] >= 0) *out++ = value(r, values[r]);
  return slice;
}

/// By vertex, its row of a partial domain.
Slice Planner::plan_partial_rows(std::int32_t type, const Port& port) {
  if (port.distinct) return port.row_of;
  const std::int32_t count = plan_->types[type].vertices;
  if (port.present == count) return identity(count);
  const Slice slice = new_slice(count);
  const std::int32_t *values = at(port.values), *before = at(port.before);
  std::int32_t* out = at(slice);
  for (std::int32_t r = 0; r < count; ++r) out[r] = values[r] >= 0 ? before[r] : -1;
  return slice;
}

/// For every edge, its vertex's row.
Slice Planner::edge_vertices(std::int32_t type) {
  const Plan::Type& plan = plan_->types[type];
  if (edge_vertices_.count > 0) return edge_vertices_;
  edge_vertices_ = new_slice(plan.edges);
  const std::int32_t* segments = at(plan.segments);
  std::int32_t* out = at(edge_vertices_);
  for (std::int32_t r = 0; r < plan.vertices; ++r)
    for (std::int32_t e = segments[r]; e < segments[r + 1]; ++e) out[e] = r;
  return edge_vertices_;
}

/// What is listed by vertex, for every edge of the vertex.
Slice Planner::spread_to_edges(std::int32_t type, Slice by_vertex) {
  const Slice vertices = edge_vertices(type), slice = new_slice(vertices.count);
  const std::int32_t *values = at(by_vertex), *vertex = at(vertices);
  std::int32_t* out = at(slice);
  for (std::int32_t e = 0; e < slice.count; ++e) out[e] = values[vertex[e]];
  return slice;
}

}  // namespace cavs
