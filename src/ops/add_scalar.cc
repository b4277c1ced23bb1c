#include "ops/op.h"

namespace cavs {

extern const OpDef kAddScalar{
    .name = "add_scalar",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(); },
    .expr = [](const Expression& e) { return e.x[0] + e.attributes.number; },
    .doc = "x + number",
};

}  // namespace cavs
