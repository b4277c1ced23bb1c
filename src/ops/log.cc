#include "ops/op.h"

namespace cavs {

extern const OpDef kLog{
    .name = "log",
    .params = {"x"},
    .kind = OpKind::kElementwise,

    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() / g.x(0); },
    .expr = [](const Expression& e) { return log(e.x[0]); },
    .doc = "Natural logarithm.",
};

}  // namespace cavs
