#include "ops/op.h"

namespace cavs {

extern const OpDef kMeanFeatures{
    .name = "mean_features",
    .params = {"x"},
    .partial = true,
    .zero = ZeroRule::kAllInputs,
    .infer = scalar_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.broadcast(g.dy() * (1.0 / static_cast<double>(g.shape(0).size())), g.shape(0));
        },
    .reference =
        [](Reference& r) {
          const auto width = static_cast<double>(r.x[0]->width);
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.x[0]->width; ++j) r.y.at(i, 0) += r.x[0]->at(i, j) / width;
        },
    .doc = "Mean over the features: [].",
};

}  // namespace cavs
