#include "ops/op.h"

namespace cavs {

extern const OpDef kPart{
    .name = "part",
    .params = {"x"},
    .kind = OpKind::kView,
    .zero = ZeroRule::kAllInputs,
    .infer =
        [](Inference& i) {
          const auto& a = i.attributes();
          if (i.in(0).shape.dims.size() != 1) i.fail("takes a vector a row, found {}; reshape it first", i.show(0));
          const auto d = static_cast<std::int32_t>(i.in(0).shape.size());
          if (a.count < 1 || d % a.count != 0) i.fail("{} does not split into {} equal parts", i.show(0), a.count);
          if (a.index < 0 || a.index >= a.count)
            i.fail("part {} of {} is asked for; expected 0 to {}", a.index, i.show(0), a.count - 1);
          i.set_shape({d / a.count});
        },
    .gradient =
        [](GradientRule& g) {
          g.add_columns(static_cast<std::int32_t>(g.attributes().index * (g.shape(0).size() / g.attributes().count)),
                        g.dy());
        },
    .doc = "Part number `index` of `count` equal parts of a vector (split).",
};

}  // namespace cavs
