#include "ops/op.h"

namespace cavs {

extern const OpDef kCompact{
    .name = "compact",
    .params = {"x"},
    .kind = OpKind::kView,
    .in_public = false,
    .infer =
        [](Inference& i) {
          i.set_shape(i.in(0).shape);
          i.node().domain = {DomainKind::kPresent, i.attributes().name};
        },
    .doc = "The rows of the vertices that have input on a port: gradient of reading a present value as a vertex's.",
};

}  // namespace cavs
