#include <algorithm>
#include <cmath>

#include "ops/op.h"

namespace cavs {

namespace {

void max_children_reference(Reference& r) {
  for (std::int64_t e = 0; e < r.x[0]->rows; ++e)
    for (std::int64_t j = 0; j < r.y.width; ++j)
      r.y.at(0, j) = e == 0 ? r.x[0]->at(e, j) : std::max(r.y.at(0, j), r.x[0]->at(e, j));
}

}  // namespace

extern const OpDef kMaxChildren{
    .name = "max_children",
    .params = {"x"},
    .domain = DomainKind::kVertex,
    .infer = takes_edges,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply("max_children_grad", {g.x(0), g.y(), g.dy()});
        },
    .reference = max_children_reference,
    .doc = "Largest over the children of a vertex, element by element; 0 where there are none.",
};

}  // namespace cavs
