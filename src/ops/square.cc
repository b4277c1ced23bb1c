#include "ops/op.h"

namespace cavs {

extern const OpDef kSquare{
    .name = "square",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.x(0) * 2.0; },
    .expr = [](const Expression& e) { return e.x[0] * e.x[0]; },
    .doc = "x * x",
};

}  // namespace cavs
