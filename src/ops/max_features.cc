#include <algorithm>
#include <cmath>

#include "ops/op.h"

namespace cavs {

namespace {

void max_features_reference(Reference& r) {
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    r.y.at(i, 0) = r.x[0]->at(i, 0);
    for (std::int64_t j = 1; j < r.x[0]->width; ++j) r.y.at(i, 0) = std::max(r.y.at(i, 0), r.x[0]->at(i, j));
  }
}

}  // namespace

extern const OpDef kMaxFeatures{
    .name = "max_features",
    .params = {"x"},
    .partial = true,
    .infer = scalar_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply("max_features_grad", {g.x(0), g.y(), g.dy()});
        },
    .reference = max_features_reference,
    .doc = "Largest feature: []; of several the first takes the gradient.",
};

}  // namespace cavs
