#include "declare/presence.h"

#include <algorithm>

#include "declare/builder.h"
#include "ops/op.h"

namespace cavs {
namespace {

constexpr std::string_view kBegin = "present(", kEnd = ")";

}  // namespace

std::string presence_of(std::string_view port) { return std::string(kBegin) + std::string(port) + std::string(kEnd); }

std::optional<std::string_view> port_of_presence(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return {};
  return name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
}

Value where_present(const Value& x, const std::vector<std::string>& ports) {
  FunctionBuilder& builder = builder_of("where_present", x);
  Value masked = x;
  for (const std::string& port : ports) {
    const Value index = builder.apply(find_op("pull_index"), {}, {.name = presence_of(port)});
    const Value mask = builder.apply(find_op("one_hot"), {index}, {.count = 1});
    masked = masked * builder.apply(find_op("reshape"), {mask}, {});
  }
  return masked;
}

std::optional<std::string_view> masked_port(const Function& f, ValueId id) {
  if (f.nodes[id].op->name != "multiply") return {};
  const Node& reshape = f.nodes[f.nodes[id].in[1]];
  if (reshape.op->name != "reshape") return {};
  const Node& mask = f.nodes[reshape.in[0]];
  return mask.op->name == "one_hot" ? port_of_presence(f.nodes[mask.in[0]].attributes.name) : std::nullopt;
}

std::vector<std::string> ports_read(const Value& x) {
  const Function& f = builder_of("ports_read", x).function();
  std::vector<std::string> ports;
  std::vector<char> reached(static_cast<std::size_t>(x.id()) + 1, 0);
  reached[x.id()] = 1;
  for (ValueId id = x.id(); id >= 0; --id) {
    if (reached[id] == 0) continue;
    const Node& node = f.nodes[id];
    const std::string_view op = node.op->name;
    const bool pulled = op == "pull" || op == "pull_index";
    if (node.op->kind == OpKind::kSource && !pulled && op != "constant") return {};
    for (const ValueId input : node.in) reached[input] = 1;
    const std::string& name = node.attributes.name;
    if (pulled && !port_of_presence(name) && std::ranges::find(ports, name) == ports.end()) ports.push_back(name);
  }
  return ports;
}

}  // namespace cavs
