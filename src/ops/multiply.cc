#include "ops/op.h"

namespace cavs {

extern const OpDef kMultiply{
    .name = "multiply",
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAnyInput,
    .infer = broadcast_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.x(1), g.dx(1) += g.dy() * g.x(0); },
    .expr = [](const Expression& e) { return e.x[0] * e.x[1]; },
    .doc = "x * y, element by element",
};

}  // namespace cavs
