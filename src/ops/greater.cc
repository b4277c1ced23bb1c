#include "ops/op.h"

namespace cavs {

extern const OpDef kGreater{
    .name = "greater",
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .infer = broadcast_shape,
    .expr = [](const Expression& e) { return greater(e.x[0], e.x[1]); },
    .doc = "1 where x > y, else 0; no gradient.",
};

}  // namespace cavs
