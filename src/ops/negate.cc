#include "ops/op.h"

namespace cavs {

extern const OpDef kNegate{
    .name = "negate",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += -g.dy(); },
    .expr = [](const Expression& e) { return -e.x[0]; },
    .doc = "-x",
};

}  // namespace cavs
