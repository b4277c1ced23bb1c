#include "ops/op.h"

namespace cavs {

extern const OpDef kCopy{
    .name = "copy",
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .in_public = false,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .expr = [](const Expression& e) { return e.x[0]; },
    .doc = "x, in memory of its own.",
};

}  // namespace cavs
