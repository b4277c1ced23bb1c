#include "ops/op.h"

namespace cavs {

extern const OpDef kSumFeatures{
    .name = "sum_features",
    .params = {"x"},
    .partial = true,
    .zero = ZeroRule::kAllInputs,
    .infer = scalar_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.broadcast(g.dy(), g.shape(0)); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.x[0]->width; ++j) r.y.at(i, 0) += r.x[0]->at(i, j);
        },
    .doc = "Sum over the features: [].",
};

}  // namespace cavs
