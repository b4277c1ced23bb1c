#include "ops/op.h"

namespace cavs {

extern const OpDef kDivide{
    .name = "divide",
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kNever,
    .infer = broadcast_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() / g.x(1), g.dx(1) += -(g.dy() * g.y() / g.x(1)); },
    .expr = [](const Expression& e) { return e.x[0] / e.x[1]; },
    .doc = "x / y, element by element",
};

}  // namespace cavs
