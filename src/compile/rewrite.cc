#include "compile/passes.h"
#include "ir/op.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

Function rewrite(
    const Function& f,
    const std::function<ValueId(Function& out, const Node& node, const std::vector<ValueId>& in)>& replace) {
  Function out{.name = f.name, .nodes = {}, .forward = 0};
  std::vector<ValueId> renamed(f.nodes.size());
  const auto count = static_cast<ValueId>(f.nodes.size());
  for (ValueId id = 0; id < count; ++id) {
    if (id == f.forward) out.forward = static_cast<std::int32_t>(out.nodes.size());
    const Node& node = f.nodes[id];
    std::vector<ValueId> in;
    in.reserve(node.in.size());
    for (ValueId input : node.in) in.push_back(renamed[input]);
    renamed[id] = replace(out, node, in);
    if (renamed[id] >= 0) continue;
    renamed[id] = append(out, *node.op, in, node.attributes);
    out.nodes.back().name = node.name;
  }
  if (!f.differentiated()) out.forward = static_cast<std::int32_t>(out.nodes.size());
  return out;
}

Function move_lookups(const Function& f, DomainKind kind, const std::function<bool(ValueId lookup)>& chosen) {
  return rewrite(f, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
    const auto id = static_cast<ValueId>(&node - f.nodes.data());
    if (!node.is(OpId::kLookup) || !out.nodes[in[0]].is(OpId::kPullIndex) || !chosen(id)) return -1;
    auto index = out.nodes[in[0]].get<attr::IndexPort>();
    index.rows = kind;
    const ValueId moved = append(out, OpId::kPullIndex, {}, index);
    const ValueId rows = append(out, *node.op, {moved}, node.attributes);
    out.nodes[rows].name = node.name;
    return rows;
  });
}

}  // namespace cavs::inline v0_1
