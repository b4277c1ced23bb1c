#include "ops/op.h"

namespace cavs {

extern const OpDef kSqrt{
    .name = "sqrt",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * 0.5 / g.y(); },
    .expr = [](const Expression& e) { return sqrt(e.x[0]); },
    .doc = "Square root.",
};

}  // namespace cavs
