#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kSigmoid{
    .name = "sigmoid",
    .id = OpId::kSigmoid,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.y() * (1.0 - g.y()); },
    .expr = [](const Expression& e) { return sigmoid(e.x[0]); },
    .doc = "1 / (1 + exp(-x))",
};

extern const OpDef kTanh{
    .name = "tanh",
    .id = OpId::kTanh,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * (1.0 - g.y() * g.y()); },
    .expr = [](const Expression& e) { return tanh(e.x[0]); },
    .doc = "Hyperbolic tangent.",
};

extern const OpDef kRelu{
    .name = "relu",
    .id = OpId::kRelu,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy() * g.apply(OpId::kGreater, {g.y(), g.apply(OpId::kConstant, {})});
        },
    .expr = [](const Expression& e) { return max(e.x[0], constant_like(e.x[0], 0)); },
    .doc = "max(x, 0)",
};

extern const OpDef kGelu{
    .name = "gelu",
    .id = OpId::kGelu,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kGeluGradient, {g.x(0), g.dy()});
        },
    .expr = [](const Expression& e) { return e.x[0] * ((erf(e.x[0] * 0.70710678118654752) + 1.0) * 0.5); },
    .doc = "x times the cumulative normal distribution of x (exact form).",
};

extern const OpDef kGeluGradient{
    .name = "gelu_gradient",
    .id = OpId::kGeluGradient,
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

}  // namespace cavs::inline v0_1
