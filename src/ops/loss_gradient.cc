#include "ops/op.h"

namespace cavs {

extern const OpDef kLossGradient{
    .name = "loss_gradient",
    .params = {},
    .kind = OpKind::kSource,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .infer = [](Inference& i) { i.set_shape({}); },
    .doc = "Gradient of the minibatch's loss with respect to one vertex's: 1 / number of samples.",
};

}  // namespace cavs
