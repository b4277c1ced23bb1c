#include <algorithm>
#include <cmath>

#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

void layer_norm_reference(Reference& r) {
  const auto width = static_cast<double>(r.y.width);
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    double mean = 0, variance = 0;
    for (std::int64_t j = 0; j < r.y.width; ++j) mean += r.x[0]->at(i, j) / width;
    for (std::int64_t j = 0; j < r.y.width; ++j)
      variance += (r.x[0]->at(i, j) - mean) * (r.x[0]->at(i, j) - mean) / width;
    for (std::int64_t j = 0; j < r.y.width; ++j)
      r.y.at(i, j) = (r.x[0]->at(i, j) - mean) / std::sqrt(variance + r.get<attr::Number>().number);
  }
}

// Computes dx = (dy - mean(dy) - xhat * mean(dy * xhat)) / sqrt(variance + epsilon).
void layer_norm_grad_reference(Reference& r) {
  const auto width = static_cast<double>(r.y.width);
  const auto &x = *r.x[0], &dy = *r.x[1];
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    double mean = 0, variance = 0, mean_dy = 0, mean_product = 0;
    for (std::int64_t j = 0; j < r.y.width; ++j) mean += x.at(i, j) / width;
    for (std::int64_t j = 0; j < r.y.width; ++j) variance += (x.at(i, j) - mean) * (x.at(i, j) - mean) / width;
    const double inverse = 1.0 / std::sqrt(variance + r.get<attr::Number>().number);
    for (std::int64_t j = 0; j < r.y.width; ++j) mean_dy += dy.at(i, j) / width;
    for (std::int64_t j = 0; j < r.y.width; ++j) mean_product += dy.at(i, j) * (x.at(i, j) - mean) * inverse / width;
    for (std::int64_t j = 0; j < r.y.width; ++j)
      r.y.at(i, j) = inverse * (dy.at(i, j) - mean_dy - (x.at(i, j) - mean) * inverse * mean_product);
  }
}

}  // namespace

extern const OpDef kLayerNorm{
    .name = "layer_norm",
    .id = OpId::kLayerNorm,
    .params = {"x"},
    .attributes = attr::Number{},
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kLayerNormGrad, {g.x(0), g.dy()}, g.attributes());
        },
    .reference = layer_norm_reference,
    .doc =
        "(x - mean) / sqrt(variance + number) over the features, without scale and shift: add these with multiply and "
        "+.",
};

extern const OpDef kLayerNormGrad{
    .name = "layer_norm_grad",
    .id = OpId::kLayerNormGrad,
    .params = {"x", "dy"},
    .attributes = attr::Number{},
    .in_public = false,
    .infer = same_shape_as_first,
    .reference = layer_norm_grad_reference,
    .doc = "dx of layer_norm; `number` is epsilon.",
};

}  // namespace cavs::inline v0_1
