#include "ir/presence.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kBegin = "present(", kEnd = ")";

}  // namespace

std::string presence_of(std::string_view port) { return std::string(kBegin) + std::string(port) + std::string(kEnd); }

std::optional<std::string_view> port_of_presence(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return {};
  return name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
}

Value where_present(const Value& x, const std::vector<DataPort>& ports) {
  FunctionBuilder& builder = builder_of("where_present", x);
  Value masked = x;
  for (const auto& [port, first_edge] : ports) {
    const Value index = first_edge
                            ? builder.apply(OpId::kPullEdgeIndex, {}, attr::EdgePort{presence_of(port), *first_edge})
                            : builder.apply(OpId::kPullIndex, {}, attr::IndexPort{presence_of(port)});
    const Value mask = builder.apply(OpId::kOneHot, {index}, attr::Classes{1});
    masked = masked * builder.apply(OpId::kReshape, {mask}, attr::Target{});
  }
  return masked;
}

const Node* mask_of(const Function& f, ValueId id) {
  if (!f.nodes[id].is(OpId::kMultiply)) return nullptr;
  const Node& reshape = f.nodes[f.nodes[id].in[1]];
  if (!reshape.is(OpId::kReshape)) return nullptr;
  const Node& mask = f.nodes[reshape.in[0]];
  if (!mask.is(OpId::kOneHot)) return nullptr;
  const Node& index = f.nodes[mask.in[0]];
  return port_of_presence(index.attribute_name()) ? &index : nullptr;
}

std::vector<DataPort> ports_read(const Value& x) {
  const Function& f = builder_of("ports_read", x).function();
  std::vector<DataPort> ports;
  std::vector<char> reached(static_cast<std::size_t>(x.id()) + 1, 0);
  reached[x.id()] = 1;
  for (ValueId id = x.id(); id >= 0; --id) {
    if (reached[id] == 0) continue;
    const Node& node = f.nodes[id];
    const bool pulled = node.is({OpId::kPull, OpId::kPullIndex}) || is_edge_pull(node);
    if (node.op->kind == OpKind::kSource && !pulled && !node.is(OpId::kConstant)) return {};
    for (const ValueId input : node.in) reached[input] = 1;
    const std::string& name = node.attribute_name();
    if (!pulled || port_of_presence(name)) continue;
    DataPort port{name};
    if (is_edge_pull(node)) port.first_edge = node.get<attr::EdgePort>().first;
    if (std::ranges::find(ports, port) == ports.end()) ports.push_back(std::move(port));
  }
  return ports;
}

}  // namespace cavs::inline v0_1
