#include "ops/op.h"

namespace cavs {

extern const OpDef kExpand{
    .name = "expand",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .in_public = false,
    .infer =
        [](Inference& i) {
          i.set_shape(i.in(0).shape);
          i.node().domain = {static_cast<DomainKind>(i.attributes().index), i.attributes().name};
        },
    .expr = [](const Expression& e) { return e.x[0]; },
    .doc = "x in a higher domain: one row for each of its rows. index, name: the domain.",
};

}  // namespace cavs
