#include "ops/op.h"

namespace cavs {

extern const OpDef kMaxChildrenGrad{
    .name = "max_children_grad",
    .params = {"x", "y", "dy"},
    .in_public = false,
    .domain = DomainKind::kEdge,
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          for (std::int64_t j = 0; j < r.y.width; ++j)
            for (std::int64_t e = 0; e < r.y.rows; ++e)
              if (r.x[0]->at(e, j) == r.x[1]->at(0, j)) {
                r.y.at(e, j) = r.x[2]->at(0, j);
                break;
              }
        },
    .doc = "dx of max_children: one row a child; of several largest the first takes dy.",
};

}  // namespace cavs
