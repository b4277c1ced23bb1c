#include <algorithm>
#include <cmath>

#include "ops/op.h"

namespace cavs {

namespace {

void layer_norm_reference(Reference& r) {
  const auto width = static_cast<double>(r.y.width);
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    double mean = 0, variance = 0;
    for (std::int64_t j = 0; j < r.y.width; ++j) mean += r.x[0]->at(i, j) / width;
    for (std::int64_t j = 0; j < r.y.width; ++j)
      variance += (r.x[0]->at(i, j) - mean) * (r.x[0]->at(i, j) - mean) / width;
    for (std::int64_t j = 0; j < r.y.width; ++j)
      r.y.at(i, j) = (r.x[0]->at(i, j) - mean) / std::sqrt(variance + r.attributes.number);
  }
}

}  // namespace

extern const OpDef kLayerNorm{
    .name = "layer_norm",
    .params = {"x"},
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply("layer_norm_grad", {g.x(0), g.dy()}, g.attributes());
        },
    .reference = layer_norm_reference,
    .doc = "(x - mean) / sqrt(variance + number) over the features; scale and shift with multiply and +.",
};

}  // namespace cavs
