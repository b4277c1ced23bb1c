#include "ops/op.h"

namespace cavs {

extern const OpDef kGeluGradient{
    .name = "gelu_gradient",
    .params = {"x", "dy"},
    .kind = OpKind::kElementwise,
    .in_public = false,
    .infer = broadcast_shape,
    .expr =
        [](const Expression& e) {
          const Scalar x = e.x[0];
          const Scalar distribution = (erf(x * 0.70710678118654752) + 1.0) * 0.5;
          const Scalar density = exp(x * x * -0.5) * 0.39894228040143268;
          return e.x[1] * (distribution + x * density);
        },
    .doc = "dx of gelu.",
};

}  // namespace cavs
