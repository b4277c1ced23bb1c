#include <map>

#include "compile/passes.h"
#include "ir/op.h"

namespace cavs {

Function share_children(Function f, const PassContext& context) {
  if (!context.share_equal) return f;
  std::map<ValueId, ValueId> distinct;  // of gathers in the new function
  return rewrite(f, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
    if (!node.is(OpId::kMatmul)) return -1;
    std::vector<ValueId> inputs = in;
    for (std::size_t i = 0; i < in.size(); i += 2) {
      if (!out.nodes[in[i]].is(OpId::kGather)) continue;
      const auto [it, fresh] = distinct.try_emplace(in[i], -1);
      if (fresh) {
        auto children = out.nodes[in[i]].get<attr::Children>();
        children.distinct = true;
        it->second = append(out, OpId::kGather, {}, children);
      }
      inputs[i] = it->second;
    }
    const ValueId id = append(out, *node.op, inputs, node.attributes);
    out.nodes[id].name = node.name;
    return id;
  });
}

}  // namespace cavs
