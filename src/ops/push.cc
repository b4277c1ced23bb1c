#include "ops/op.h"

namespace cavs {

extern const OpDef kPush{
    .name = "push",
    .params = {"x"},
    .kind = OpKind::kSink,

    .infer =
        [](Inference& i) {
          if (i.in(0).domain.kind == DomainKind::kEdge)
            i.fail("takes one row a vertex, found one row a child: {}; reduce it first with sum, mean or max",
                   i.show(0));
          i.set_shape(i.in(0).shape);
          i.node().domain = {DomainKind::kVertex, {}};
        },
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply("push_gradient", {}, {.name = g.attributes().name, .shape = g.shape(0)});
        },
    .doc = "External output of a vertex (Cavs, section 3.1). name: port.",
};

}  // namespace cavs
