#include "ops/op.h"

namespace cavs {

extern const OpDef kParameter{
    .name = "parameter",
    .params = {},
    .kind = OpKind::kSource,
    .domain = DomainKind::kParameter,
    .infer = [](Inference& i) { i.set_shape(i.attributes().shape); },
    .doc = "A dense parameter: the same for all rows. name, shape: of the parameter.",
};

}  // namespace cavs
