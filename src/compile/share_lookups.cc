#include <algorithm>

#include "compile/passes.h"
#include "ops/op.h"

namespace cavs {
namespace {

/// Whether a looked-up row is only multiplied with weights: what is done to it by vertex would need a copy for each.
bool is_only_multiplied(const Function& f, ValueId lookup) {
  bool multiplied = false;
  for (const Node& node : f.nodes)
    for (std::size_t i = 0; i < node.in.size(); ++i) {
      if (node.in[i] != lookup) continue;
      if (node.op->kind != OpKind::kMatmul || i % 2 != 0) return false;
      multiplied = true;
    }
  return multiplied;
}

}  // namespace

// Domains flow from the index, as in compact_absent.
Function share_lookups(Function f, const PassContext&) {
  return rewrite(f, [&f](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
    const auto id = static_cast<ValueId>(&node - f.nodes.data());
    if (node.op->name != "lookup" || !is_only_multiplied(f, id)) return -1;
    Attributes index = out.nodes[in[0]].attributes;
    index.index = static_cast<std::int32_t>(DomainKind::kDistinct);
    const ValueId distinct = append(out, find_op("pull_index"), {}, index);
    const ValueId rows = append(out, *node.op, {distinct}, node.attributes);
    out.nodes[rows].name = node.name;
    return rows;
  });
}

}  // namespace cavs
