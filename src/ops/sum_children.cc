#include "ops/op.h"

namespace cavs {

namespace {

void sum_children_reference(Reference& r) {
  for (std::int64_t e = 0; e < r.x[0]->rows; ++e)
    for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(0, j) += r.x[0]->at(e, j);
}

}  // namespace

extern const OpDef kSumChildren{
    .name = "sum_children",
    .params = {"x"},
    .domain = DomainKind::kVertex,
    .infer = takes_edges,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(); },
    .reference = sum_children_reference,
    .doc = "Sum over the children of a vertex; 0 where there are none.",
};

}  // namespace cavs
