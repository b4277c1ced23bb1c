#include "ops/op.h"

namespace cavs {

extern const OpDef kConcat{
    .name = "concat",
    .params = {"parts"},
    .kind = OpKind::kConcat,
    .variadic = true,
    .zero = ZeroRule::kAllInputs,
    .infer =
        [](Inference& i) {
          if (i.inputs() == 0) i.fail("takes at least one input");
          std::int32_t width = 0;
          for (int k = 0; k < i.inputs(); ++k) {
            if (i.in(k).shape.dims.size() > 1) i.fail("takes vectors, found {}; reshape it first", i.show(k));
            width += static_cast<std::int32_t>(i.in(k).shape.size());
          }
          i.set_shape({width});
        },
    .gradient =
        [](GradientRule& g) {
          std::int32_t begin = 0;
          for (int k = 0; k < g.inputs(); ++k) {
            const auto width = static_cast<std::int32_t>(g.shape(k).size());
            const Value columns = g.apply("slice", {g.dy()}, {.index = begin, .count = width});
            g.dx(k) += g.shape(k).dims.empty() ? g.apply("reshape", {columns}, {}) : columns;
            begin += width;
          }
        },
    .doc = "Vectors one after the other in each row.",
};

}  // namespace cavs
