#include "ops/op.h"

namespace cavs {

extern const OpDef kTanh{
    .name = "tanh",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * (1.0 - g.y() * g.y()); },
    .expr = [](const Expression& e) { return tanh(e.x[0]); },
    .doc = "Hyperbolic tangent.",
};

}  // namespace cavs
