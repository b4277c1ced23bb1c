#include "ops/op.h"

namespace cavs {

extern const OpDef kScatterGradient{
    .name = "scatter_gradient",
    .params = {"dx"},
    .kind = OpKind::kSink,
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(0).shape); },

    .doc = "Writes the gradient of a gathered state, one row a vertex-child pair. name: state; index: the child.",
};

}  // namespace cavs
