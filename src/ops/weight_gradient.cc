#include "ops/op.h"

namespace cavs {

extern const OpDef kWeightGradient{
    .name = "weight_gradient",
    .params = {"x", "dy"},
    .kind = OpKind::kReduceRows,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .infer =
        [](Inference& i) {
          i.set_shape(
              {static_cast<std::int32_t>(i.in(0).shape.size()), static_cast<std::int32_t>(i.in(1).shape.size())});
        },
    .reference =
        [](Reference& r) {
          const auto &x = *r.x[0], &dy = *r.x[1];
          for (std::int64_t i = 0; i < dy.rows; ++i)
            for (std::int64_t k = 0; k < x.width; ++k)
              for (std::int64_t j = 0; j < dy.width; ++j) r.y.data[k * dy.width + j] += x.at(i, k) * dy.at(i, j);
        },
    .doc = "Sum over rows of the outer products of x [k] and dy [n]: [k, n].",
};

}  // namespace cavs
