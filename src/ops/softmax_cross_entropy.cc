#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the maximum of a row, and the sum of exp(number - maximum).
std::pair<double, double> sum_exponentials(const ReferenceTensor& x, std::int64_t row) {
  double largest = x.at(row, 0), sum = 0;
  for (std::int64_t j = 0; j < x.width; ++j) largest = std::max(largest, x.at(row, j));
  for (std::int64_t j = 0; j < x.width; ++j) sum += std::exp(x.at(row, j) - largest);
  return {largest, sum};
}

void softmax_cross_entropy_reference(Reference& r) {
  const auto &x = *r.x[0], &label = *r.x[1];
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    const auto c = static_cast<std::int64_t>(label.at(i, 0));
    if (c < 0) continue;
    const auto [largest, sum] = sum_exponentials(x, i);
    r.y.at(i, 0) = std::log(sum) + largest - x.at(i, c);
  }
}

void softmax_cross_entropy_grad_reference(Reference& r) {
  const auto &x = *r.x[0], &label = *r.x[1], &dy = *r.x[2];
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    const auto c = static_cast<std::int64_t>(label.at(i, 0));
    if (c < 0) continue;
    const auto [largest, sum] = sum_exponentials(x, i);
    for (std::int64_t j = 0; j < x.width; ++j)
      r.y.at(i, j) = (std::exp(x.at(i, j) - largest) / sum - (j == c ? 1 : 0)) * dy.at(i, 0);
  }
}

}  // namespace

extern const OpDef kSoftmaxCrossEntropy{
    .name = "softmax_cross_entropy",
    .id = OpId::kSoftmaxCrossEntropy,
    .params = {"logits", "label"},
    .attributes = attr::Classes{},
    .index =
        IndexInput{.input = 1, .limit = [](const Function&, const Node& n) { return n.get<attr::Classes>().count; }},
    .infer =
        [](Inference& i) {
          if (i.in(0).shape.dims.size() != 1) i.fail("takes a vector of logits, found {}", i.show(0));
          if (i.in(0).domain.kind == DomainKind::kEdge && i.in(1).is_index && i.in(1).domain.kind != DomainKind::kEdge)
            i.fail(
                "takes one row per vertex, as the label has, found one row per child: {}; reduce it first with sum, "
                "mean "
                "or max, or pull a label of the edges",
                i.show(0));
          if (!i.in(1).is_index) i.fail("the label must be a pulled index, found {}", i.show(1));
          i.node().attributes = attr::Classes{static_cast<std::int32_t>(i.in(0).shape.size())};
          i.set_shape({});
        },
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kSoftmaxCrossEntropyGrad, {g.x(0), g.x(1), g.dy()});
        },
    .reference = softmax_cross_entropy_reference,
    .doc = "-log softmax(logits)[label]; shape []. It is 0 where the label is -1.",
};

extern const OpDef kSoftmaxCrossEntropyGrad{
    .name = "softmax_cross_entropy_grad",
    .id = OpId::kSoftmaxCrossEntropyGrad,
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

}  // namespace cavs::inline v0_1
