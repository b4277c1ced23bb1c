#include "ops/op.h"

namespace cavs {

extern const OpDef kSubtract{
    .name = "subtract",
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = broadcast_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(), g.dx(1) += -g.dy(); },
    .expr = [](const Expression& e) { return e.x[0] - e.x[1]; },
    .doc = "x - y",
};

}  // namespace cavs
