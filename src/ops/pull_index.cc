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
          if (i.attributes().index == kPresentRowsOnly) i.node().domain = {DomainKind::kPresent, i.attributes().name};
        },
    .doc = "External integer of a vertex, -1 where absent. name: port.",
};

}  // namespace cavs
