#include "ops/op.h"

namespace cavs {

extern const OpDef kMax{
    .name = "max",
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kNever,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {  // ties share the gradient
          const Value tie = g.apply("equal", {g.x(0), g.x(1)}) * 0.5;
          g.dx(0) += g.dy() * (g.apply("greater", {g.x(0), g.x(1)}) + tie);
          g.dx(1) += g.dy() * (g.apply("greater", {g.x(1), g.x(0)}) + tie);
        },
    .expr = [](const Expression& e) { return max(e.x[0], e.x[1]); },
    .doc = "The larger of x and y, element by element; ties share the gradient.",
};

}  // namespace cavs
