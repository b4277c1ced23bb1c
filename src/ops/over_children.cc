#include <algorithm>
#include <cmath>

#include "ir/op.h"

// Operators over the children of a vertex.
namespace cavs::inline v0_1 {
namespace {

void sum_children_reference(Reference& r) {
  for (std::int64_t e = 0; e < r.x[0]->rows; ++e)
    for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(0, j) += r.x[0]->at(e, j);
}

void mean_children_reference(Reference& r) {
  const auto rows = static_cast<double>(r.x[0]->rows);
  for (std::int64_t e = 0; e < r.x[0]->rows; ++e)
    for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(0, j) += r.x[0]->at(e, j) / rows;
}

void max_children_reference(Reference& r) {
  for (std::int64_t e = 0; e < r.x[0]->rows; ++e)
    for (std::int64_t j = 0; j < r.y.width; ++j)
      r.y.at(0, j) = e == 0 ? r.x[0]->at(e, j) : std::max(r.y.at(0, j), r.x[0]->at(e, j));
}

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

extern const OpDef kSumChildren{
    .name = "sum_children",
    .id = OpId::kSumChildren,
    .params = {"x"},
    .domain = DomainKind::kVertex,
    .reads_children = true,
    .column_wise = true,
    .infer = takes_edges,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(); },
    .reference = sum_children_reference,
    .doc = "Sum over the children of a vertex; 0 where there are none.",
};

extern const OpDef kMeanChildren{
    .name = "mean_children",
    .id = OpId::kMeanChildren,
    .params = {"x"},
    .domain = DomainKind::kVertex,
    .reads_children = true,
    .column_wise = true,
    .infer = takes_edges,
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply(OpId::kMeanChildrenGrad, {g.dy()}); },
    .reference = mean_children_reference,
    .doc = "Mean over the children of a vertex; 0 where there are none.",
};

extern const OpDef kMeanChildrenGrad{
    .name = "mean_children_grad",
    .id = OpId::kMeanChildrenGrad,
    .params = {"dy"},
    .in_public = false,
    .domain = DomainKind::kEdge,
    .runs_over = DomainKind::kVertex,
    .column_wise = true,
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          const auto rows = static_cast<double>(r.y.rows);
          for (std::int64_t e = 0; e < r.y.rows; ++e)
            for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(e, j) = r.x[0]->at(0, j) / rows;
        },
    .doc = "dx of mean_children; one row per child.",
};

extern const OpDef kMaxChildren{
    .name = "max_children",
    .id = OpId::kMaxChildren,
    .params = {"x"},
    .domain = DomainKind::kVertex,
    .reads_children = true,
    .column_wise = true,
    .infer = takes_edges,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kMaxChildrenGrad, {g.x(0), g.y(), g.dy()});
        },
    .reference = max_children_reference,
    .doc = "Maximum over the children of a vertex, element by element; 0 where there are none.",
};

extern const OpDef kMaxChildrenGrad{
    .name = "max_children_grad",
    .id = OpId::kMaxChildrenGrad,
    .params = {"x", "y", "dy"},
    .in_public = false,
    .domain = DomainKind::kEdge,
    .runs_over = DomainKind::kVertex,
    .reads_children = true,
    .column_wise = true,
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          for (std::int64_t j = 0; j < r.y.width; ++j)
            for (std::int64_t e = 0; e < r.y.rows; ++e)
              if (r.x[0]->at(e, j) == r.x[1]->at(0, j)) {
                r.y.at(e, j) = r.x[2]->at(0, j);
                break;
              }
        },
    .doc = "dx of max_children; one row per child. The first of several equal maxima takes dy.",
};

extern const OpDef kSoftmaxChildren{
    .name = "softmax_children",
    .id = OpId::kSoftmaxChildren,
    .params = {"x"},
    .domain = DomainKind::kEdge,
    .runs_over = DomainKind::kVertex,
    .reads_children = true,
    .column_wise = true,
    .infer = takes_edges,
    .gradient = [](GradientRule& g) { g.dx(0) += g.y() * (g.dy() - g.apply(OpId::kSumChildren, {g.dy() * g.y()})); },
    .reference = softmax_children_reference,
    .doc = "exp(x) / sum(exp(x)) over the children of a vertex, for each feature separately; one row per child.",
};

}  // namespace cavs::inline v0_1
