#include "ir/op.h"

// Step functions. They have no gradient.
namespace cavs::inline v0_1 {

extern const OpDef kFloor{
    .name = "floor",
    .id = OpId::kFloor,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .expr = [](const Expression& e) { return floor(e.x[0]); },
    .doc = "The largest integer that is not above x. It has no gradient.",
};

extern const OpDef kRound{
    .name = "round",
    .id = OpId::kRound,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .expr = [](const Expression& e) { return round(e.x[0]); },
    .doc = "The nearest integer; halves are rounded to even. It has no gradient.",
};

extern const OpDef kSign{
    .name = "sign",
    .id = OpId::kSign,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAllInputs,
    .infer = same_shape_as_first,
    .expr = [](const Expression& e) { return sign(e.x[0]); },
    .doc = "1 above 0, -1 below 0, and 0 at 0. It has no gradient.",
};

}  // namespace cavs::inline v0_1
