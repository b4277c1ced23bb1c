#include "ops/op.h"

namespace cavs {

extern const OpDef kSigmoid{
    .name = "sigmoid",
    .params = {"x"},
    .kind = OpKind::kElementwise,

    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.y() * (1.0 - g.y()); },
    .expr = [](const Expression& e) { return sigmoid(e.x[0]); },
    .doc = "1 / (1 + exp(-x))",
};

}  // namespace cavs
