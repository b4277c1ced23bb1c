#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kLookup{
    .name = "lookup",
    .id = OpId::kLookup,
    .params = {"index"},
    .attributes = attr::Tensor{},
    .kind = OpKind::kSource,
    .zero = ZeroRule::kAllInputs,
    .index = IndexInput{.input = 0,
                        .limit = [](const Function&, const Node& n) { return n.get<attr::Tensor>().shape.dims[0]; }},
    .linear = LinearRule::kYes,
    .indexed = true,
    .infer =
        [](Inference& i) {
          if (!i.in(0).is_index) i.fail("the index must be a pulled index, found {}", i.show(0));
          i.set_shape({i.get<attr::Tensor>().shape.dims.at(1)});
        },
    .gradient =
        [](GradientRule& g) {
          g.sink(OpId::kLookupGradient, {g.x(0), g.dy()}, g.attributes());
        },
    .doc = "Row of a table by index; zeros where the index is -1. `name` and `shape` [rows, d] are those of the table.",
};

extern const OpDef kLookupGradient{
    .name = "lookup_gradient",
    .id = OpId::kLookupGradient,
    .params = {"index", "dy"},
    .attributes = attr::Tensor{},
    .kind = OpKind::kSink,
    .in_public = false,
    .index = IndexInput{.input = 0,
                        .limit = [](const Function&, const Node& n) { return n.get<attr::Tensor>().shape.dims[0]; }},
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .doc = "Adds rows to the gradient of the table `name`, in (sample, vertex) order.",
};

}  // namespace cavs::inline v0_1
