#include "ops/op.h"

namespace cavs {

extern const OpDef kGelu{
    .name = "gelu",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply("gelu_gradient", {g.x(0), g.dy()});
        },
    .expr = [](const Expression& e) { return e.x[0] * ((erf(e.x[0] * 0.70710678118654752) + 1.0) * 0.5); },
    .doc = "x times the normal distribution function of x (exact form).",
};

}  // namespace cavs
