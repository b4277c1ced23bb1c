#include "ops/op.h"

namespace cavs {

extern const OpDef kLookup{
    .name = "lookup",
    .params = {"index"},
    .kind = OpKind::kSource,
    .zero = ZeroRule::kAllInputs,
    .index = IndexInput{.input = 0, .limit = [](const Function&, const Node& n) { return n.attributes.shape.dims[0]; }},
    .infer =
        [](Inference& i) {
          if (!i.in(0).is_index) i.fail("the index must be a pulled index, found {}", i.show(0));
          i.set_shape({i.attributes().shape.dims.at(1)});
        },
    .gradient =
        [](GradientRule& g) {
          g.sink("lookup_gradient", {g.x(0), g.dy()}, g.attributes());
        },
    .doc = "Row of a table by index; zeros where the index is -1. name, shape [rows, d]: of the table.",
};

}  // namespace cavs
