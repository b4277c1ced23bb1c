#include <algorithm>
#include <cmath>

#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

void softmax_reference(Reference& r) {
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    double largest = r.x[0]->at(i, 0), sum = 0;
    for (std::int64_t j = 0; j < r.y.width; ++j) largest = std::max(largest, r.x[0]->at(i, j));
    for (std::int64_t j = 0; j < r.y.width; ++j) sum += r.y.at(i, j) = std::exp(r.x[0]->at(i, j) - largest);
    for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(i, j) /= sum;
  }
}

void log_softmax_reference(Reference& r) {
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    double largest = r.x[0]->at(i, 0), sum = 0;
    for (std::int64_t j = 0; j < r.y.width; ++j) largest = std::max(largest, r.x[0]->at(i, j));
    for (std::int64_t j = 0; j < r.y.width; ++j) sum += std::exp(r.x[0]->at(i, j) - largest);
    for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(i, j) = r.x[0]->at(i, j) - largest - std::log(sum);
  }
}

}  // namespace

extern const OpDef kSoftmax{
    .name = "softmax",
    .id = OpId::kSoftmax,
    .params = {"x"},
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.y() * (g.dy() - g.apply(OpId::kDot, {g.dy(), g.y()}));
        },
    .reference = softmax_reference,
    .doc = "exp(x) / sum(exp(x)) over the features.",
};

extern const OpDef kLogSoftmax{
    .name = "log_softmax",
    .id = OpId::kLogSoftmax,
    .params = {"x"},
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          const Value probability = g.apply(OpId::kExp, {g.y()});
          g.dx(0) += g.dy() - probability * g.apply(OpId::kSumFeatures, {g.dy()});
        },
    .reference = log_softmax_reference,
    .doc = "log(softmax(x)) over the features.",
};

}  // namespace cavs::inline v0_1
