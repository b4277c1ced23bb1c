#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kExp{
    .name = "exp",
    .id = OpId::kExp,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.y(); },
    .expr = [](const Expression& e) { return exp(e.x[0]); },
    .doc = "e to the x",
};

extern const OpDef kLog{
    .name = "log",
    .id = OpId::kLog,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() / g.x(0); },
    .expr = [](const Expression& e) { return log(e.x[0]); },
    .doc = "Natural logarithm.",
};

extern const OpDef kSqrt{
    .name = "sqrt",
    .id = OpId::kSqrt,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * 0.5 / g.y(); },
    .expr = [](const Expression& e) { return sqrt(e.x[0]); },
    .doc = "Square root.",
};

extern const OpDef kSquare{
    .name = "square",
    .id = OpId::kSquare,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.x(0) * 2.0; },
    .expr = [](const Expression& e) { return e.x[0] * e.x[0]; },
    .doc = "x * x",
};

extern const OpDef kAbs{
    .name = "abs",
    .id = OpId::kAbs,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy() * (g.apply(OpId::kGreater, {g.x(0), g.apply(OpId::kConstant, {})}) -
                               g.apply(OpId::kGreater, {g.apply(OpId::kConstant, {}), g.x(0)}));
        },
    .expr = [](const Expression& e) { return abs(e.x[0]); },
    .doc = "|x|; the gradient at 0 is 0.",
};

}  // namespace cavs::inline v0_1
