#include "compile/storage.h"

#include <algorithm>

#include "compile/domains.h"

namespace cavs::inline v0_1 {

Storage::Storage(Program& program, std::int32_t type)
    : program_(program),
      type_(program.types[type]),
      type_number_(type),
      f_(program.types[type].function),
      places_(f_.nodes.size()) {
  place_outputs();
  place_in_parts();
}

namespace {

std::int32_t width_of(const Node& node) { return static_cast<std::int32_t>(node.shape.size()); }

template <typename T, typename Name>
std::int32_t find_named(const std::vector<T>& items, const std::string& name, Name name_of) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const T& item) { return name_of(item) == name; });
  return it == items.end() ? -1 : static_cast<std::int32_t>(it - items.begin());
}

}  // namespace

std::int32_t Storage::parameter(const std::string& name) const {
  const auto p = find_named(program_.parameters, name, [](const ParameterInfo& info) { return info.name; });
  CAVS_ASSERT(p >= 0);
  return p;
}

std::int32_t Storage::state(const std::string& name) const {
  const auto s = find_named(program_.states, name, [](const State& state) { return state.name; });
  CAVS_ASSERT(s >= 0);
  return s;
}

std::int32_t Storage::float_port(const Node& node) {
  const auto known =
      find_named(program_.float_ports, node.attribute_name(), [](const auto& port) { return port.name; });
  if (known >= 0) {
    user_check(program_.float_ports[known].width == width_of(node),
               "[{}] port '{}' is pulled with width {} and with width {}; a port has one width", node.op->name,
               node.attribute_name(), program_.float_ports[known].width, width_of(node));
    return known;
  }
  program_.float_ports.push_back({node.attribute_name(), width_of(node)});
  return static_cast<std::int32_t>(program_.float_ports.size()) - 1;
}

DomainId Storage::domain_id(const Domain& domain) {
  switch (domain.kind) {
    case DomainKind::kParameter:
      return kParameterRows;
    case DomainKind::kVertex:
      return kVertexRows;
    case DomainKind::kEdge:
      return kEdgeRows;
    default:
      break;
  }
  auto& partial = type_.partial_domains;
  // Domains kLabelled and kPresent of one port have the same rows.
  const auto same = [&](const Domain& d) {
    return d.port == domain.port && (d.kind == DomainKind::kDistinct) == (domain.kind == DomainKind::kDistinct);
  };
  const auto it = std::find_if(partial.begin(), partial.end(), same);
  const auto id = kPartialRows + static_cast<DomainId>(it - partial.begin());
  if (it == partial.end()) partial.push_back(domain);
  return id;
}

std::int32_t Storage::index_slot(IndexRequest request) {
  auto& indices = type_.indices;
  const auto it = std::find(indices.begin(), indices.end(), request);
  if (it != indices.end()) return static_cast<std::int32_t>(it - indices.begin());
  indices.push_back(std::move(request));
  return static_cast<std::int32_t>(indices.size()) - 1;
}

/// Returns the number of the index list that has, per vertex, the row of the child in slot `child`.
std::int32_t Storage::gather_slot(std::int32_t child) { return index_slot({IndexKind::kGather, child}); }

/// Returns the domain of the rows of a gather or of its gradient.
DomainId Storage::gathered_rows(const attr::Children& children) { return children.all ? kEdgeRows : kVertexRows; }

Operand Storage::new_tensor(ValueId id) {
  const Node& node = f_.nodes[id];
  const DomainId domain = domain_id(node.domain);
  const std::int32_t width = width_of(node);
  type_.tensors.push_back({node.name.empty() ? fmt::format("%{}", id) : node.name, width, domain});
  return {.kind = StorageKind::kTensor,
          .id = static_cast<std::int32_t>(type_.tensors.size()) - 1,
          .width = width,
          .stride = domain == kParameterRows ? 0 : width,
          .domain = domain};
}

Operand Storage::new_tile(std::string name, std::int32_t width, std::int32_t max_rows) {
  type_.tensors.push_back({std::move(name), width, kVertexRows, true, max_rows});
  return {.kind = StorageKind::kTensor,
          .id = static_cast<std::int32_t>(type_.tensors.size()) - 1,
          .width = width,
          .stride = width};
}

/// Makes the instruction that computes the input of a sink write directly to the sink's destination.
void Storage::place_outputs() {
  for (ValueId id = 0; id < static_cast<ValueId>(f_.nodes.size()); ++id) {
    const Node& node = f_.nodes[id];
    if (node.is(OpId::kScatter)) {
      const std::int32_t s = state(node.attribute_name());
      places_[node.in[0]] = {
          .kind = StorageKind::kState, .id = s, .width = program_.states[s].width, .stride = program_.states[s].width};
    } else if (node.is(OpId::kScatterGradient)) {
      const std::int32_t s = state(node.attribute_name()), w = program_.states[s].width;
      const auto site = static_cast<std::int32_t>(program_.sites[s].size());
      const auto& a = node.get<attr::Children>();
      const std::int32_t child = a.all ? -1 : a.slot;
      const DomainId rows = gathered_rows(a);
      const std::int32_t list = child < 0 ? index_slot({IndexKind::kChildren}) : gather_slot(child);
      program_.sites[s].push_back({type_number_, child, list, rows});
      places_[node.in[0]] = {
          .kind = StorageKind::kStateGradient, .id = s, .site = site, .width = w, .stride = w, .domain = rows};
    }
  }
}

void Storage::place_concat(ValueId id) {
  if (!places_[id]) places_[id] = new_tensor(id);
  std::int32_t column = places_[id]->column;
  for (ValueId input : f_.nodes[id].in) {
    Operand part = *places_[id];
    part.column = column;
    part.width = width_of(f_.nodes[input]);
    column += part.width;
    CAVS_ASSERT(!places_[input]);
    places_[input] = part;
  }
}

void Storage::place_in_parts() {
  for (auto id = static_cast<ValueId>(f_.nodes.size()); id-- > 0;)  // outer concats before the inner ones
    if (f_.nodes[id].op->kind == OpKind::kConcat) place_concat(id);
  std::vector<int> uses(f_.nodes.size(), 0);
  for (const Node& node : f_.nodes)
    for (ValueId input : node.in) ++uses[input];
  for (const Node& node : f_.nodes) {
    if (!node.is(OpId::kAccumulate)) continue;
    const ValueId g = node.in[0];
    if (uses[g] == 1 && f_.nodes[g].op->kind == OpKind::kReduceRows)
      places_[g] = {.kind = StorageKind::kParameterGradient,
                    .id = parameter(node.attribute_name()),
                    .width = width_of(f_.nodes[g]),
                    .domain = kParameterRows};
  }
}

/// Returns an operand for a node whose value is existing memory, read through an index list or in order.
Operand Storage::place_source(ValueId id) {
  const Node& node = f_.nodes[id];
  const OpId op = node.op->id;
  const std::string& name = node.attribute_name();
  Operand place{.width = width_of(node), .stride = width_of(node), .domain = domain_id(node.domain)};
  if (op == OpId::kParameter) {
    place.kind = StorageKind::kParameter;
    place.id = parameter(name);
    place.stride = 0;
  } else if (op == OpId::kLossGradient) {
    place.kind = StorageKind::kLossGradient;
    place.stride = 0;
  } else if (op == OpId::kLookup) {
    place.kind = StorageKind::kParameter;
    place.id = parameter(name);
    place.index = index_slot({IndexKind::kPort, 0, f_.nodes[node.in[0]].attribute_name(), place.domain});
  } else if (op == OpId::kGather || op == OpId::kChildren) {
    place.kind = StorageKind::kState;
    place.id = state(name);
    place.index =
        op == OpId::kGather ? gather_slot(node.get<attr::Children>().slot) : index_slot({IndexKind::kChildren});
  } else {
    CAVS_ASSERT(op == OpId::kPull || op == OpId::kPullEdges);
    place.kind = StorageKind::kPull;
    place.id = float_port(node);
    place.index = index_slot({op == OpId::kPull ? IndexKind::kPullRow : IndexKind::kPullEdgeRow, 0, name});
  }
  return place;
}

const Operand& Storage::place(ValueId id) {
  if (places_[id]) return *places_[id];
  const Node& node = f_.nodes[id];
  const bool received = node.is({OpId::kGatherGradient, OpId::kPushGradient});
  if (is_computed(node) || received || node.op->kind == OpKind::kReduceRows) return *(places_[id] = new_tensor(id));
  if (node.op->kind != OpKind::kView) return *(places_[id] = place_source(id));
  Operand view = place(node.in[0]);
  view.width = width_of(node);
  if (node.is(OpId::kSlice)) view.column += node.get<attr::Columns>().begin;
  if (node.is(OpId::kPart)) view.column += node.get<attr::Part>().index * view.width;
  if (node.is(OpId::kCompact)) {
    CAVS_ASSERT(view.index < 0);
    view.domain = domain_id(node.domain);
    view.index = index_slot({IndexKind::kPartialVertex, 0, node.attribute_name(), view.domain});
  }
  return *(places_[id] = view);
}

std::optional<IndexRequest> Storage::broadcast_index(const Domain& from, const Domain& to) {
  if (from == to || from.kind == DomainKind::kParameter) return {};
  if (from.kind == DomainKind::kVertex && to.kind == DomainKind::kEdge) return IndexRequest{IndexKind::kEdgeVertex};
  CAVS_ASSERT(is_partial(from) && to.kind >= DomainKind::kVertex);
  return IndexRequest{to.kind == DomainKind::kVertex ? IndexKind::kVertexPartial : IndexKind::kEdgePartial, 0,
                      from.port, domain_id(from)};
}

Operand Storage::read(ValueId id, int i) {
  const ValueId input = f_.nodes[id].in[i];
  const Domain to = reading_domain(f_, id, i);
  Operand operand = place(input);
  const auto index = broadcast_index(f_.nodes[input].domain, to);
  operand.domain = domain_id(to);
  if (!index) return operand;
  CAVS_ASSERT(operand.index < 0);
  operand.index = index_slot(*index);
  return operand;
}

}  // namespace cavs::inline v0_1
