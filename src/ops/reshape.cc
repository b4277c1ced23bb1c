#include "ops/op.h"

namespace cavs {

extern const OpDef kReshape{
    .name = "reshape",
    .params = {"x"},
    .kind = OpKind::kView,
    .zero = ZeroRule::kAllInputs,
    .infer =
        [](Inference& i) {
          if (i.in(0).shape.size() != i.attributes().shape.size())
            i.fail("{} has {} numbers a row, the target {} has {}", i.show(0), i.in(0).shape.size(),
                   to_string(i.attributes().shape), i.attributes().shape.size());
          i.set_shape(i.attributes().shape);
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply("reshape", {g.dy()}, {.shape = g.shape(0)}); },
    .doc = "The same numbers in another shape.",
};

}  // namespace cavs
