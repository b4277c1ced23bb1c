#include "compile/equal_vertices.h"

#include <algorithm>

namespace cavs {
namespace {

bool is_labelled(const TypeProgram& type, DomainId domain) {
  return domain >= kPartialRows && type.partial_domains[domain - kPartialRows].kind == DomainKind::kLabelled;
}

/// Whether a value of labelled rows is read by vertex or by edge: there is one such row for each only by chance.
bool reads_labelled_by_vertex(const TypeProgram& type, const IndexRequest& request) {
  const bool by_vertex = request.kind == IndexKind::kVertexPartial || request.kind == IndexKind::kEdgePartial;
  return by_vertex && is_labelled(type, request.domain);
}

bool may_share(const TypeProgram& type) {
  if (type.random) return false;
  if (!type.pull_gradients.empty() || !type.push_gradients.empty()) return false;
  return std::ranges::all_of(type.losses, [&](const Loss& l) { return is_labelled(type, l.operand.domain); }) &&
         std::ranges::none_of(type.indices,
                              [&](const IndexRequest& request) { return reads_labelled_by_vertex(type, request); });
}

/// All that its code reads of the data but the labels of its own.
VertexInputs inputs_of(const TypeProgram& type) {
  VertexInputs inputs;
  const auto add = [](std::vector<std::string>& ports, const std::string& port) {
    if (std::ranges::find(ports, port) == ports.end()) ports.push_back(port);
  };
  for (const IndexRequest& request : type.indices) {
    if (request.kind == IndexKind::kPullRow) add(inputs.rows, request.port);
    if (request.kind == IndexKind::kPullEdgeRow) add(inputs.edge_rows, request.port);
    if (request.kind != IndexKind::kPort || is_labelled(type, request.domain)) continue;
    add(request.domain == kEdgeRows ? inputs.edge_numbers : inputs.numbers, request.port);
  }
  for (const Domain& domain : type.partial_domains)
    if (domain.kind != DomainKind::kLabelled && !domain.port.empty()) add(inputs.numbers, domain.port);
  return inputs;
}

}  // namespace

void find_equal_vertices(Program& program) {
  if (!program.options.share_equal) return;
  for (TypeProgram& type : program.types) {
    type.shares_equal = may_share(type);
    if (type.shares_equal) type.inputs = inputs_of(type);
  }
}

}  // namespace cavs
