#include <algorithm>
#include <cmath>

#include "ops/op.h"

namespace cavs {

namespace {

void softmax_reference(Reference& r) {
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    double largest = r.x[0]->at(i, 0), sum = 0;
    for (std::int64_t j = 0; j < r.y.width; ++j) largest = std::max(largest, r.x[0]->at(i, j));
    for (std::int64_t j = 0; j < r.y.width; ++j) sum += r.y.at(i, j) = std::exp(r.x[0]->at(i, j) - largest);
    for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(i, j) /= sum;
  }
}

}  // namespace

extern const OpDef kSoftmax{
    .name = "softmax",
    .params = {"x"},
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.y() * (g.dy() - g.apply("dot", {g.dy(), g.y()}));
        },
    .reference = softmax_reference,
    .doc = "exp(x) / sum(exp(x)) over the features.",
};

}  // namespace cavs
