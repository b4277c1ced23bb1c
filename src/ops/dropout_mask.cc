#include "ops/op.h"

namespace cavs {

extern const OpDef kDropoutMask{
    .name = "dropout_mask",
    .params = {"x"},
    .in_public = false,
    .infer =
        [](Inference& i) {
          const double p = i.attributes().number;
          if (!(p >= 0 && p < 1)) i.fail("the probability must be in [0, 1), found {}", p);
          if (i.node().domain.kind == DomainKind::kEdge)
            i.fail("takes one row a vertex, found one row a child: {}; apply it before the children are gathered",
                   i.show(0));
          i.node().domain = {DomainKind::kVertex, {}};
          i.set_shape(i.in(0).shape);
        },
    .reference =
        [](Reference& r) {
          const double p = r.attributes.number;
          for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(0, j) = r.random(j) * (1 / (1 - p));
        },
    .doc =
        "0 with probability `number`, else 1 / (1 - number), by (seed, epoch, sample, vertex, node, column); without "
        "the vertex where `count` is not 0.",
};

}  // namespace cavs
