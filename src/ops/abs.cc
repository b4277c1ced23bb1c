#include "ops/op.h"

namespace cavs {

extern const OpDef kAbs{
    .name = "abs",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy() * (g.apply("greater", {g.x(0), g.apply("constant", {})}) -
                               g.apply("greater", {g.apply("constant", {}), g.x(0)}));
        },
    .expr = [](const Expression& e) { return abs(e.x[0]); },
    .doc = "|x|; the gradient at 0 is 0.",
};

}  // namespace cavs
