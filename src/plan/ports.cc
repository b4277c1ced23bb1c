#include "plan/ports.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

/// Returns a number that all values in a distinct domain are below: the rows of the largest table that they look up.
std::int32_t numbers_of(const Program& program, const TypeProgram& type, const Domain& domain) {
  std::int32_t numbers = 0;
  for (const Node& node : type.function.nodes)
    if (node.is(OpId::kLookup) && node.domain == domain)
      for (const ParameterInfo& table : program.parameters)
        if (table.name == node.attribute_name()) numbers = std::max(numbers, table.shape.dims[0]);
  return numbers;
}

void read_values(PlanDraft& draft, std::int32_t type, PortRows& port) {
  const std::int32_t count = draft.plan.types[type].vertices;
  const std::int64_t* source = draft.sources(type);
  const std::int32_t* values = draft.minibatch.bound->index_port(port.name).data();
  port.values = draft.new_slice(count);
  std::int32_t *out = draft.at(port.values), present = 0;
  for (std::int32_t r = 0; r < count; ++r) {
    out[r] = values[source[r]];
    present += out[r] >= 0 ? 1 : 0;
  }
  port.present = present;
}

/// Counts the rows of a partial domain. It has a row for every vertex with a value.
void count_present(PlanDraft& draft, PortRows& port) {
  const std::int32_t vertices = port.values.count;
  const bool all = port.present == vertices;
  port.before = all ? draft.identity(vertices + 1) : draft.new_slice(vertices + 1);
  if (all) return;
  std::int32_t *before = draft.at(port.before), count = 0;
  const std::int32_t* values = draft.at(port.values);
  for (std::int32_t r = 0; r < vertices; ++r) {
    before[r] = count;
    count += values[r] >= 0 ? 1 : 0;
  }
  before[vertices] = count;
}

}  // namespace

Ports::Ports(const Program& program) : ports_(program.types.size()) {
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program.types.size()); ++t) {
    const TypeProgram& type = program.types[t];
    for (const Domain& domain : type.partial_domains)
      ports_[t].push_back({domain.port, domain.kind == DomainKind::kDistinct, numbers_of(program, type, domain)});
    auto& of_lists = of_lists_.emplace_back();
    for (const IndexRequest& request : type.indices) of_lists.push_back(number_of(t, request));
  }
}

/// Returns the number of the port that a list of rows is made from, or -1.
std::int32_t Ports::number_of(std::int32_t type, const IndexRequest& request) {
  if (request.domain >= kPartialRows) return request.domain - kPartialRows;
  if (request.port.empty() || request.kind == IndexKind::kPullRow || request.by_edge_port()) return -1;
  auto& ports = ports_[type];
  const auto it = std::find_if(ports.begin(), ports.end(), [&](const auto& port) { return port.name == request.port; });
  const auto number = static_cast<std::int32_t>(it - ports.begin());
  if (it == ports.end()) ports.push_back({request.port});
  return number;
}

const PortRows& Ports::of_list(std::int32_t type, std::size_t index) const {
  static const PortRows none;
  const std::int32_t port = of_lists_[type][index];
  return port < 0 ? none : ports_[type][port];
}

void Ports::add_to(PlanDraft& draft, std::int32_t type) {
  for (PortRows& port : ports_[type]) read_values(draft, type, port);
  Plan::Type& plan = draft.plan.types[type];
  plan.partial.resize(draft.program.types[type].partial_domains.size());
  plan.equal.assign(plan.partial.size(), {});
  plan.before.resize(plan.partial.size());
  for (std::size_t p = 0; p < plan.partial.size(); ++p) {
    PortRows& port = ports_[type][p];
    if (port.distinct) {
      distinct_.number(draft, port);
      if (draft.program.options.training) plan.equal[p] = distinct_.group(draft, port);
    } else {
      count_present(draft, port);
    }
    plan.before[p] = port.before;
    plan.partial[p] = port.distinct ? port.number_of.count : port.present;
  }
}

}  // namespace cavs::inline v0_1
