#include "ops/op.h"

namespace cavs {

extern const OpDef kMeanChildrenGrad{
    .name = "mean_children_grad",
    .params = {"dy"},
    .in_public = false,
    .domain = DomainKind::kEdge,
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          const auto rows = static_cast<double>(r.y.rows);
          for (std::int64_t e = 0; e < r.y.rows; ++e)
            for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(e, j) = r.x[0]->at(0, j) / rows;
        },
    .doc = "dx of mean_children: one row a child.",
};

}  // namespace cavs
