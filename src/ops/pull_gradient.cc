#include "ops/op.h"

namespace cavs {

extern const OpDef kPullGradient{
    .name = "pull_gradient",
    .params = {"dx"},
    .kind = OpKind::kSink,
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(0).shape); },

    .doc = "Gradient of a pull, for the caller. name: port.",
};

}  // namespace cavs
