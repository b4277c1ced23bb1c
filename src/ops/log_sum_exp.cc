#include "ops/log_matmul.h"

namespace cavs {

extern const OpDef kLogSumExp{
    .name = "log_sum_exp",
    .params = {"x"},
    .partial = true,
    .infer = scalar_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.apply("exp", {g.x(0) - g.y()}); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            r.y.at(i, 0) = log_sum_exp(r.x[0]->width, [&](std::int64_t j) { return r.x[0]->at(i, j); });
        },
    .doc = "log(sum(exp(x))) over the features: []; -inf only where all features are.",
};

}  // namespace cavs
