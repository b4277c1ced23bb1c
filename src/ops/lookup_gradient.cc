#include "ops/op.h"

namespace cavs {

extern const OpDef kLookupGradient{
    .name = "lookup_gradient",
    .params = {"index", "dy"},
    .kind = OpKind::kSink,
    .in_public = false,
    .index = IndexInput{.input = 0, .limit = [](const Function&, const Node& n) { return n.attributes.shape.dims[0]; }},
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .doc = "Adds rows into a table's gradient, in (sample, vertex) order. name: table.",
};

}  // namespace cavs
