#include <algorithm>

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
          const std::int64_t m = std::max(i.attributes().count, 1);
          i.set_shape({static_cast<std::int32_t>(i.in(0).shape.size() / m),
                       static_cast<std::int32_t>(i.in(1).shape.size() / m)});
        },
    .reference =
        [](Reference& r) {
          const auto &x = *r.x[0], &dy = *r.x[1];
          const std::int64_t m = std::max(r.attributes.count, 1), width = x.width / m, columns = dy.width / m;
          for (std::int64_t i = 0; i < dy.rows * m; ++i)
            for (std::int64_t k = 0; k < width; ++k)
              for (std::int64_t j = 0; j < columns; ++j)
                r.y.data[k * columns + j] += x.at(i / m, i % m * width + k) * dy.at(i / m, i % m * columns + j);
        },
    .doc =
        "Sum over rows of the outer products of x [k] and dy [n]: [k, n]; count: each holds so many rows [count, k], "
        "[count, n].",
};

}  // namespace cavs
