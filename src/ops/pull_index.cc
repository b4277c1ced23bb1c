#include "ops/op.h"

namespace cavs {

extern const OpDef kPullIndex{
    .name = "pull_index",
    .params = {},
    .kind = OpKind::kSource,
    .domain = DomainKind::kVertex,
    .infer =
        [](Inference& i) {
          i.set_shape({});
          i.node().is_index = true;
          const auto kind = static_cast<DomainKind>(i.attributes().index);
          if (kind != DomainKind::kParameter) i.node().domain = {kind, i.attributes().name};
        },
    .doc = "External integer of a vertex, -1 where absent. name: port; index: the domain, if not vertex.",
};

}  // namespace cavs
