#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

Function verify(Function f, const PassContext&) {
  for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
    const Node& node = f.nodes[id];
    for (ValueId input : node.in) {
      CAVS_ASSERT(input >= 0 && input < id);
      CAVS_ASSERT(f.nodes[input].op->kind != OpKind::kSink);
      CAVS_ASSERT(id >= f.forward || input < f.forward);
    }
    CAVS_ASSERT(node.op->variadic || node.in.size() == node.op->params.size());
    Node inferred = node;
    infer(f, inferred, id);
    CAVS_ASSERT(inferred.shape_known && inferred.shape == node.shape && inferred.domain == node.domain);
  }
  return f;
}

}  // namespace cavs::inline v0_1
