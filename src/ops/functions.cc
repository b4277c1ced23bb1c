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
    .doc = "e to the power x",
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

extern const OpDef kSin{
    .name = "sin",
    .id = OpId::kSin,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.apply(OpId::kCos, {g.x(0)}); },
    .expr = [](const Expression& e) { return sin(e.x[0]); },
    .doc = "Sine. The error is at most 5e-7 for |x| below 10,000 and grows beyond.",
};

extern const OpDef kCos{
    .name = "cos",
    .id = OpId::kCos,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += -(g.dy() * g.apply(OpId::kSin, {g.x(0)})); },
    .expr = [](const Expression& e) { return cos(e.x[0]); },
    .doc = "Cosine. The error is at most 5e-7 for |x| below 10,000 and grows beyond.",
};

extern const OpDef kPow{
    .name = "pow",
    .id = OpId::kPow,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {
          const Value zero = g.apply(OpId::kConstant, {});
          const Value slope = g.dy() * g.x(1) * g.apply(OpId::kPow, {g.x(0), g.x(1) - 1.0});
          g.dx(0) += g.apply(OpId::kKeep, {g.x(1), slope});  // x^0 is 1 even at x = 0, so no 0 * inf
          g.dx(1) += g.dy() * g.apply(OpId::kKeep,
                                      {g.apply(OpId::kGreater, {g.x(0), zero}), g.y() * g.apply(OpId::kLog, {g.x(0)})});
        },
    .expr = [](const Expression& e) { return pow(e.x[0], e.x[1]); },
    .doc =
        "x to the power y, element by element; NaN where x < 0 and y is not an integer. Where x is not above 0, y has "
        "no "
        "gradient.",
};

}  // namespace cavs::inline v0_1
