#include "ops/op.h"

namespace cavs {

extern const OpDef kExp{
    .name = "exp",
    .params = {"x"},
    .kind = OpKind::kElementwise,

    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.y(); },
    .expr = [](const Expression& e) { return exp(e.x[0]); },
    .doc = "e to the x",
};

}  // namespace cavs
