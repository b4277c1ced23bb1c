#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kSoftsign{
    .name = "softsign",
    .id = OpId::kSoftsign,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .gradient =
        [](GradientRule& g) {
          const Value bound = g.apply(OpId::kAbs, {g.x(0)}) + 1.0;
          g.dx(0) += g.dy() / (bound * bound);
        },
    .expr = [](const Expression& e) { return e.x[0] / (abs(e.x[0]) + 1.0); },
    .doc = "x / (1 + |x|)",
};

}  // namespace cavs::inline v0_1
