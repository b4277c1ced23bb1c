#include "ops/op.h"

namespace cavs {

extern const OpDef kGather{
    .name = "gather",
    .params = {},
    .kind = OpKind::kSource,
    .domain = DomainKind::kVertex,
    .infer = state_shape,
    .gradient = [](GradientRule& g) { g.sink("scatter_gradient", {g.dy()}, g.attributes()); },
    .doc = "State of child number `index`; zeros where the child is absent (Cavs, section 3.1). name: state.",
};

}  // namespace cavs
