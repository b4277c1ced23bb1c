#include <algorithm>
#include <cmath>

#include "ops/op.h"

namespace cavs {

namespace {

void softmax_children_reference(Reference& r) {
  const ReferenceTensor& x = *r.x[0];
  for (std::int64_t j = 0; j < r.y.width && x.rows > 0; ++j) {
    double largest = x.at(0, j), sum = 0;
    for (std::int64_t e = 1; e < x.rows; ++e) largest = std::max(largest, x.at(e, j));
    for (std::int64_t e = 0; e < x.rows; ++e) sum += r.y.at(e, j) = std::exp(x.at(e, j) - largest);
    for (std::int64_t e = 0; e < x.rows; ++e) r.y.at(e, j) /= sum;
  }
}

}  // namespace

extern const OpDef kSoftmaxChildren{
    .name = "softmax_children",
    .params = {"x"},
    .domain = DomainKind::kEdge,
    .infer = takes_edges,
    .gradient = [](GradientRule& g) { g.dx(0) += g.y() * (g.dy() - g.apply("sum_children", {g.dy() * g.y()})); },
    .reference = softmax_children_reference,
    .doc = "exp(x) / sum(exp(x)) over the children of a vertex, each feature by itself: one row a child.",
};

}  // namespace cavs
