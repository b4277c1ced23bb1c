#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

class NarrowSlices {
 public:
  Function run(const Function& f) {
    return rewrite(f, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
      const bool view = node.is({OpId::kPart, OpId::kSlice});
      return view ? narrow(out, node, in[0]) : -1;
    });
  }

 private:
  /// Returns view `view` of `value`. If an element-wise node computes `value`, its inputs are viewed instead.
  ValueId narrow(Function& out, const Node& view, ValueId value) {
    const Node node = out.nodes[value];  // a copy, since appending nodes moves the vector
    if (node.op->kind != OpKind::kElementwise) return append(out, *view.op, {value}, view.attributes);
    std::vector<ValueId> inputs;
    for (ValueId input : node.in)
      inputs.push_back(out.nodes[input].shape.size() == 1 ? input : narrow(out, view, input));
    return append(out, *node.op, inputs, node.attributes);
  }
};

}  // namespace

Function narrow_slices(Function f, const PassContext&) { return NarrowSlices().run(f); }

}  // namespace cavs::inline v0_1
