#include "ops/op.h"

namespace cavs {

extern const OpDef kPushGradient{
    .name = "push_gradient",
    .params = {},
    .kind = OpKind::kSource,
    .in_public = false,
    .domain = DomainKind::kVertex,
    .infer = [](Inference& i) { i.set_shape(i.attributes().shape); },
    .doc = "Gradient of a push, given by the caller. name: port.",
};

}  // namespace cavs
