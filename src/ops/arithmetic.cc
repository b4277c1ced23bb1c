#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kAdd{
    .name = "add",
    .id = OpId::kAdd,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy();
          g.dx(1) += g.dy();
        },
    .expr = [](const Expression& e) { return e.x[0] + e.x[1]; },
    .doc = "x + y",
};

extern const OpDef kSubtract{
    .name = "subtract",
    .id = OpId::kSubtract,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy();
          g.dx(1) += -g.dy();
        },
    .expr = [](const Expression& e) { return e.x[0] - e.x[1]; },
    .doc = "x - y",
};

extern const OpDef kMultiply{
    .name = "multiply",
    .id = OpId::kMultiply,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAnyInput,
    .linear = LinearRule::kWithConstant,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy() * g.x(1);
          g.dx(1) += g.dy() * g.x(0);
        },
    .expr = [](const Expression& e) { return e.x[0] * e.x[1]; },
    .doc = "x * y, element by element",
};

extern const OpDef kDivide{
    .name = "divide",
    .id = OpId::kDivide,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kNever,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy() / g.x(1);
          g.dx(1) += -(g.dy() * g.y() / g.x(1));
        },
    .expr = [](const Expression& e) { return e.x[0] / e.x[1]; },
    .doc = "x / y, element by element",
};

extern const OpDef kAddScalar{
    .name = "add_scalar",
    .id = OpId::kAddScalar,
    .params = {"x"},
    .attributes = attr::Number{},
    .kind = OpKind::kElementwise,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(); },
    .expr = [](const Expression& e) { return e.x[0] + e.get<attr::Number>().number; },
    .doc = "x + number",
};

extern const OpDef kMultiplyScalar{
    .name = "multiply_scalar",
    .id = OpId::kMultiplyScalar,
    .params = {"x"},
    .attributes = attr::Number{},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.get<attr::Number>().number; },
    .expr = [](const Expression& e) { return e.x[0] * e.get<attr::Number>().number; },
    .doc = "x * number",
};

extern const OpDef kNegate{
    .name = "negate",
    .id = OpId::kNegate,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += -g.dy(); },
    .expr = [](const Expression& e) { return -e.x[0]; },
    .doc = "-x",
};

}  // namespace cavs::inline v0_1
