#include "ops/op.h"

namespace cavs {

namespace {

void mean_children_reference(Reference& r) {
  const auto rows = static_cast<double>(r.x[0]->rows);
  for (std::int64_t e = 0; e < r.x[0]->rows; ++e)
    for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(0, j) += r.x[0]->at(e, j) / rows;
}

}  // namespace

extern const OpDef kMeanChildren{
    .name = "mean_children",
    .params = {"x"},
    .domain = DomainKind::kVertex,
    .infer = takes_edges,
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply("mean_children_grad", {g.dy()}); },
    .reference = mean_children_reference,
    .doc = "Mean over the children of a vertex; 0 where there are none.",
};

}  // namespace cavs
