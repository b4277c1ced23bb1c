#include <algorithm>
#include <cmath>

#include "ops/op.h"

namespace cavs {

namespace {

void softmax_cross_entropy_grad_reference(Reference& r) {
  const auto &x = *r.x[0], &label = *r.x[1], &dy = *r.x[2];
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    const auto c = static_cast<std::int64_t>(label.at(i, 0));
    if (c < 0) continue;
    double largest = x.at(i, 0), sum = 0;
    for (std::int64_t j = 0; j < x.width; ++j) largest = std::max(largest, x.at(i, j));
    for (std::int64_t j = 0; j < x.width; ++j) sum += std::exp(x.at(i, j) - largest);
    for (std::int64_t j = 0; j < x.width; ++j)
      r.y.at(i, j) = (std::exp(x.at(i, j) - largest) / sum - (j == c ? 1 : 0)) * dy.at(i, 0);
  }
}

}  // namespace

extern const OpDef kSoftmaxCrossEntropyGrad{
    .name = "softmax_cross_entropy_grad",
    .params = {"logits", "label", "dy"},
    .in_public = false,
    .index =
        IndexInput{.input = 1,
                   .limit = [](const Function&, const Node& n) { return static_cast<std::int32_t>(n.shape.size()); },
                   .declared_as = "softmax_cross_entropy"},
    .infer = same_shape_as_first,
    .reference = softmax_cross_entropy_grad_reference,
    .doc = "Gradient of softmax_cross_entropy by its logits: (softmax - one-hot) * dy.",
};

}  // namespace cavs
