#include "ops/op.h"

namespace cavs {

extern const OpDef kChildren{
    .name = "children",
    .params = {},
    .kind = OpKind::kSource,
    .domain = DomainKind::kEdge,
    .infer = state_shape,
    .gradient = [](GradientRule& g) { g.sink("scatter_gradient", {g.dy()}, g.attributes()); },
    .doc = "State of all children, one row a child; absent children have none. name: state; index: -1 - the first slot.",
};

}  // namespace cavs
