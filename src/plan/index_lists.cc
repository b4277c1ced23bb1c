#include "plan/index_lists.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Makes a list with an entry per vertex: the row in the states of the child in slot `child`, or -1.
Slice list_child(PlanDraft& draft, std::int32_t type, std::int32_t child) {
  const Minibatch& m = draft.minibatch;
  const Slice slice = draft.new_slice(draft.plan.types[type].vertices);
  const std::int32_t *vertex = draft.vertices(type), *begin = m.child_begin.data(), *children = m.children.data(),
                     *row = draft.schedule.row.data();
  std::int32_t* out = draft.at(slice);
  for (std::int32_t r = 0; r < slice.count; ++r) {
    const std::int32_t k = begin[vertex[r]] + child;
    const std::int32_t c = k < begin[vertex[r] + 1] ? children[k] : -1;
    out[r] = c >= 0 ? row[c] : -1;
  }
  return slice;
}

/// Makes a list with an entry per vertex: its row of a float port (of the data set or of the run), or -1.
Slice list_pull_rows(PlanDraft& draft, std::int32_t type, const std::string& port) {
  std::int32_t number = 0;
  while (draft.program.float_ports[number].name != port) ++number;
  const auto& present = draft.minibatch.bound->float_present(number);
  const Slice slice = draft.new_slice(draft.plan.types[type].vertices);
  std::int32_t* out = draft.at(slice);
  if (draft.minibatch.bound->is_run_port(port)) {
    std::copy_n(draft.vertices(type), slice.count, out);
    return slice;
  }
  const std::int64_t* source = draft.sources(type);
  for (std::int32_t r = 0; r < slice.count; ++r) {
    CAVS_ASSERT(source[r] <= std::numeric_limits<std::int32_t>::max());
    out[r] = present.empty() || present[source[r]] != 0 ? static_cast<std::int32_t>(source[r]) : -1;
  }
  return slice;
}

/// Makes a list with entry value(vertex row, value of the port) per vertex that has a value of the port.
template <typename F>
Slice list_present(PlanDraft& draft, const PortRows& port, F value) {
  const Slice slice = draft.new_slice(port.present);
  const std::int32_t* values = draft.at(port.values);
  std::int32_t* out = draft.at(slice);
  for (std::int32_t r = 0; r < port.values.count; ++r)
    if (values[r] >= 0) *out++ = value(r, values[r]);
  return slice;
}

/// Makes a list with an entry per vertex: its row of the port's partial domain, or -1.
Slice list_partial_rows(PlanDraft& draft, const PortRows& port) {
  if (port.distinct) return port.row_of;
  const std::int32_t count = port.values.count;
  if (port.present == count) return draft.identity(count);
  const Slice slice = draft.new_slice(count);
  const std::int32_t *values = draft.at(port.values), *before = draft.at(port.before);
  std::int32_t* out = draft.at(slice);
  for (std::int32_t r = 0; r < count; ++r) out[r] = values[r] >= 0 ? before[r] : -1;
  return slice;
}

Slice list(PlanDraft& draft, std::int32_t type, const IndexRequest& request, EdgeRows& edges, const PortRows& port) {
  const bool all_present = port.present == port.values.count;
  switch (request.kind) {
    case IndexKind::kGather:
      return list_child(draft, type, request.k);
    case IndexKind::kChildren:
      return edges.children(draft, type);
    case IndexKind::kEdgeVertex:
      return edges.vertices(draft, type);
    case IndexKind::kEdgePartial:
      return edges.spread(draft, type, list_partial_rows(draft, port));
    case IndexKind::kVertexPartial:
      return list_partial_rows(draft, port);
    case IndexKind::kPartialVertex:
      if (port.distinct) return port.vertices;
      if (all_present) return draft.identity(port.present);
      return list_present(draft, port, [](std::int32_t r, std::int32_t) { return r; });
    case IndexKind::kPort:
      if (request.domain == kEdgeRows) return edges.values(draft, type, request.port);
      if (request.domain >= kPartialRows && port.distinct) return port.number_of;
      if (request.domain == kVertexRows || all_present) return port.values;
      return list_present(draft, port, [](std::int32_t, std::int32_t value) { return value; });
    case IndexKind::kPullRow:
      return list_pull_rows(draft, type, request.port);
    case IndexKind::kPullEdgeRow:
      return edges.data_rows(draft, type);
  }
  return {};
}

}  // namespace

void add_index_lists(PlanDraft& draft, std::int32_t type, EdgeRows& edges, const Ports& ports) {
  const auto& requests = draft.program.types[type].indices;
  Plan::Type& plan = draft.plan.types[type];
  plan.indices.resize(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    plan.indices[i] = list(draft, type, requests[i], edges, ports.of_list(type, i));
}

}  // namespace cavs::inline v0_1
