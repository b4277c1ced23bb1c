#include "ops/op.h"

namespace cavs {

extern const OpDef kLookupGradient{
    .name = "lookup_gradient",
    .params = {"index", "dy"},
    .kind = OpKind::kSink,
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },

    .doc = "Adds rows into a table's gradient, in (sample, vertex) order. name: table.",
};

}  // namespace cavs
