#include "ops/op.h"

namespace cavs {

extern const OpDef kSumEqual{
    .name = "sum_equal",
    .params = {"x"},
    .kind = OpKind::kRow,
    .in_public = false,
    .infer =
        [](Inference& i) {
          i.set_shape(i.in(0).shape);
          i.node().domain = {DomainKind::kDistinct, i.attributes().name};
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(); },
    .reference =
        [](Reference& r) { r.y.data.assign(r.x[0]->data.begin(), r.x[0]->data.begin() + r.y.rows * r.y.width); },
    .doc =
        "Sums over the vertices that have one number on an index port; of one vertex alone, its row. name: the port.",
};

}  // namespace cavs
