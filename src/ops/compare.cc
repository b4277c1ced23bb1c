#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kMax{
    .name = "max",
    .id = OpId::kMax,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kNever,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {  // if both inputs are equal, each gets half of dy
          const Value tie = g.apply(OpId::kEqual, {g.x(0), g.x(1)}) * 0.5;
          g.dx(0) += g.dy() * (g.apply(OpId::kGreater, {g.x(0), g.x(1)}) + tie);
          g.dx(1) += g.dy() * (g.apply(OpId::kGreater, {g.x(1), g.x(0)}) + tie);
        },
    .expr = [](const Expression& e) { return max(e.x[0], e.x[1]); },
    .doc = "The larger of x and y, element by element; ties share the gradient.",
};

extern const OpDef kMin{
    .name = "min",
    .id = OpId::kMin,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kNever,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {  // if both inputs are equal, each gets half of dy
          const Value tie = g.apply(OpId::kEqual, {g.x(0), g.x(1)}) * 0.5;
          g.dx(0) += g.dy() * (g.apply(OpId::kGreater, {g.x(1), g.x(0)}) + tie);
          g.dx(1) += g.dy() * (g.apply(OpId::kGreater, {g.x(0), g.x(1)}) + tie);
        },
    .expr = [](const Expression& e) { return min(e.x[0], e.x[1]); },
    .doc = "The smaller of x and y, element by element; ties share the gradient.",
};

extern const OpDef kGreater{
    .name = "greater",
    .id = OpId::kGreater,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .infer = broadcast_shape,
    .expr = [](const Expression& e) { return greater(e.x[0], e.x[1]); },
    .doc = "1 where x > y, else 0. It has no gradient.",
};

extern const OpDef kEqual{
    .name = "equal",
    .id = OpId::kEqual,
    .params = {"x", "y"},
    .kind = OpKind::kElementwise,
    .infer = broadcast_shape,
    .expr = [](const Expression& e) { return equal(e.x[0], e.x[1]); },
    .doc = "1 where x = y, else 0. It has no gradient.",
};

extern const OpDef kKeep{
    .name = "keep",
    .id = OpId::kKeep,
    .params = {"condition", "x"},
    .kind = OpKind::kElementwise,
    .zero = ZeroRule::kAnyInput,
    .infer = broadcast_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(1) += g.apply(OpId::kKeep, {g.x(0), g.dy()});
        },
    .expr = [](const Expression& e) { return keep(e.x[0], e.x[1]); },
    .doc = "x where the condition is not 0, else 0 (even if x is infinite or NaN). The condition has no gradient.",
};

}  // namespace cavs::inline v0_1
