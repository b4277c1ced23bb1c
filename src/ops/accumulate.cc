#include "ops/op.h"

namespace cavs {

extern const OpDef kAccumulate{
    .name = "accumulate",
    .params = {"g"},
    .kind = OpKind::kSink,
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(0).shape); },

    .doc = "Adds to a parameter's gradient. name: parameter.",
};

}  // namespace cavs
