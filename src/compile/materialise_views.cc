#include <map>

#include "compile/passes.h"
#include "ops/op.h"

namespace cavs {
namespace {

/// Whether the value is memory seen through a row index.
bool is_indexed(const Function& f, ValueId id) {
  const Node& node = f.nodes[id];
  const std::string_view op = node.op->name;
  if (op == "gather" || op == "children" || op == "lookup" || op == "pull" || op == "compact") return true;
  return node.op->kind == OpKind::kView && is_indexed(f, node.in[0]);
}

/// Whether the operator reads this input through an index of its own.
bool adds_index(const Function& f, const Node& node, ValueId input) {
  if (node.op->name == "compact") return true;
  const Node& x = f.nodes[input];
  if (node.op->kind != OpKind::kElementwise && node.op->kind != OpKind::kMatmul) return false;
  return x.domain.kind != DomainKind::kParameter && x.domain != node.domain;
}

}  // namespace

Function materialise_views(Function f, const PassContext&) {
  std::map<ValueId, ValueId> copies;
  return rewrite(f, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
    std::vector<ValueId> inputs = in;
    for (ValueId& input : inputs) {
      if (!is_indexed(out, input) || !adds_index(out, node, input)) continue;
      const auto [it, fresh] = copies.try_emplace(input, -1);
      if (fresh) it->second = append(out, find_op("copy"), {input});
      input = it->second;
    }
    if (inputs == in) return -1;
    const ValueId id = append(out, *node.op, inputs, node.attributes);
    out.nodes[id].name = node.name;
    return id;
  });
}

}  // namespace cavs
