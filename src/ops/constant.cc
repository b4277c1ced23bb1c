#include "ops/op.h"

namespace cavs {

extern const OpDef kConstant{
    .name = "constant",
    .params = {},
    .kind = OpKind::kSource,
    .domain = DomainKind::kParameter,
    .infer = [](Inference& i) { i.set_shape(i.attributes().shape); },
    .doc = "A number in every element. number: the value; shape: [] unless given.",
};

}  // namespace cavs
