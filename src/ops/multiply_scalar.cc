#include "ops/op.h"

namespace cavs {

extern const OpDef kMultiplyScalar{
    .name = "multiply_scalar",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.attributes().number; },
    .expr = [](const Expression& e) { return e.x[0] * e.attributes.number; },
    .doc = "x * number",
};

}  // namespace cavs
