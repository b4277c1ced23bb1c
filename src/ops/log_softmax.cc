#include <algorithm>
#include <cmath>

#include "ops/op.h"

namespace cavs {

namespace {

void log_softmax_reference(Reference& r) {
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    double largest = r.x[0]->at(i, 0), sum = 0;
    for (std::int64_t j = 0; j < r.y.width; ++j) largest = std::max(largest, r.x[0]->at(i, j));
    for (std::int64_t j = 0; j < r.y.width; ++j) sum += std::exp(r.x[0]->at(i, j) - largest);
    for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(i, j) = r.x[0]->at(i, j) - largest - std::log(sum);
  }
}

}  // namespace

extern const OpDef kLogSoftmax{
    .name = "log_softmax",
    .params = {"x"},
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          const Value probability = g.apply("exp", {g.y()});
          g.dx(0) += g.dy() - probability * g.apply("sum_features", {g.dy()});
        },
    .reference = log_softmax_reference,
    .doc = "log(softmax(x)) over the features.",
};

}  // namespace cavs
