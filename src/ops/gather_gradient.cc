#include "ops/op.h"

namespace cavs {

extern const OpDef kGatherGradient{
    .name = "gather_gradient",
    .params = {},
    .kind = OpKind::kSource,
    .in_public = false,
    .domain = DomainKind::kVertex,
    .infer = [](Inference& i) { i.set_shape(i.attributes().shape); },
    .doc = "Gradient of a scattered state: the sum, in a fixed order, of what the parents scatter to it. name: state.",
};

}  // namespace cavs
