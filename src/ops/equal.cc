#include "ops/op.h"

namespace cavs {

extern const OpDef kEqual{
    .name = "equal",
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .infer = broadcast_shape,
    .expr = [](const Expression& e) { return equal(e.x[0], e.x[1]); },
    .doc = "1 where x = y, else 0; no gradient.",
};

}  // namespace cavs
