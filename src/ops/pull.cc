#include "ops/op.h"

namespace cavs {

extern const OpDef kPull{
    .name = "pull",
    .params = {},
    .kind = OpKind::kSource,
    .domain = DomainKind::kVertex,
    .infer = [](Inference& i) { i.set_shape(i.attributes().shape); },
    .doc = "External input of a vertex; zeros where absent (Cavs, section 3.1). name: port; shape: its features.",
};

}  // namespace cavs
