#include "ops/op.h"

namespace cavs {

extern const OpDef kSlice{
    .name = "slice",
    .params = {"x"},
    .kind = OpKind::kView,
    .zero = ZeroRule::kAllInputs,
    .infer =
        [](Inference& i) {
          const auto& a = i.attributes();
          if (i.in(0).shape.dims.size() != 1) i.fail("takes a vector a row, found {}; reshape it first", i.show(0));
          if (a.index < 0 || a.count < 1 || std::int64_t{a.index} + a.count > i.in(0).shape.size())
            i.fail("columns [{}, {}) are outside of {}", a.index, std::int64_t{a.index} + a.count, i.show(0));
          i.set_shape({a.count});
        },
    .gradient = [](GradientRule& g) { g.add_columns(g.attributes().index, g.dy()); },
    .doc = "Columns [index, index + count) of a vector.",
};

}  // namespace cavs
