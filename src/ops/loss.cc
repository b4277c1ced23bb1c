#include "ops/op.h"

namespace cavs {

extern const OpDef kLoss{
    .name = "loss",
    .params = {"x"},
    .kind = OpKind::kSink,

    .infer =
        [](Inference& i) {
          if (i.in(0).shape.size() != 1)
            i.fail("takes a scalar a vertex, found {}; reduce it with sum_features", i.show(0));
          if (i.in(0).domain.kind == DomainKind::kEdge)
            i.fail("takes one row a vertex, found one row a child: {}; reduce it first with sum, mean or max",
                   i.show(0));
          i.set_shape(i.in(0).shape);
          i.node().domain = {DomainKind::kVertex, {}};
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply("loss_gradient", {}); },
    .doc = "Adds a scalar a vertex to the minibatch's loss.",
};

}  // namespace cavs
