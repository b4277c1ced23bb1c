#include "compile/passes.h"
#include "ops/op.h"

namespace cavs {

// Domains flow from the index: what is zero on absent rows stays on the present ones, by the operators' zero rules.
Function compact_absent(Function f, const PassContext&) {
  return rewrite(f, [](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
    if (node.op->name != "lookup") return -1;
    Attributes index = out.nodes[in[0]].attributes;
    index.index = kPresentRowsOnly;
    const ValueId present = append(out, find_op("pull_index"), {}, index);
    const ValueId rows = append(out, *node.op, {present}, node.attributes);
    out.nodes[rows].name = node.name;
    return rows;
  });
}

}  // namespace cavs
