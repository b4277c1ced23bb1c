#include <algorithm>

#include "compile/passes.h"
#include "ops/op.h"

namespace cavs {

namespace {

/// Whether some operator would run on fewer rows: what is only scattered or pushed is written to all rows at once.
bool has_linear_user(const Function& f, ValueId lookup) {
  return std::any_of(f.nodes.begin(), f.nodes.end(), [&](const Node& node) {
    return node.op->zero != ZeroRule::kNever && std::find(node.in.begin(), node.in.end(), lookup) != node.in.end();
  });
}

}  // namespace

// Domains flow from the index: what is zero on absent rows stays on the present ones, by the operators' zero rules.
Function compact_absent(Function f, const PassContext&) {
  return rewrite(f, [&f](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
    const auto id = static_cast<ValueId>(&node - f.nodes.data());
    if (node.op->name != "lookup" || is_partial(node.domain) || !has_linear_user(f, id)) return -1;
    Attributes index = out.nodes[in[0]].attributes;
    index.index = static_cast<std::int32_t>(DomainKind::kPresent);
    const ValueId present = append(out, find_op("pull_index"), {}, index);
    const ValueId rows = append(out, *node.op, {present}, node.attributes);
    out.nodes[rows].name = node.name;
    return rows;
  });
}

}  // namespace cavs
