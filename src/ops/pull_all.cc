#include "ops/op.h"

namespace cavs {

extern const OpDef kPullAll{
    .name = "pull_all",
    .params = {},
    .kind = OpKind::kSource,
    .domain = DomainKind::kEdge,
    .infer = [](Inference& i) { i.set_shape(i.attributes().shape); },
    .doc = "All rows that a connection gives (Cavs, section 3.1). name: port; shape: features of a row.",
};

}  // namespace cavs
