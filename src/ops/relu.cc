#include "ops/op.h"

namespace cavs {

extern const OpDef kRelu{
    .name = "relu",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy() * g.apply("greater", {g.y(), g.apply("constant", {})});
        },
    .expr = [](const Expression& e) { return max(e.x[0], constant_like(e.x[0], 0)); },
    .doc = "max(x, 0)",
};

}  // namespace cavs
