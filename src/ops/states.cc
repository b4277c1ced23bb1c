#include "ops/vertex_rows.h"

// States of vertices (Cavs, section 3.1): parents gather what a vertex scatters. Gather and scatter are
// the gradients of each other.
namespace cavs::inline v0_1 {

extern const OpDef kGather{
    .name = "gather",
    .id = OpId::kGather,
    .params = {},
    .attributes = attr::Children{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kVertex,
    .linear = LinearRule::kYes,
    .states = StateUse::kGathers,
    .indexed = true,
    .infer = state_shape,
    .gradient = [](GradientRule& g) { g.sink(OpId::kScatterGradient, {g.dy()}, g.attributes()); },
    .doc = "State `name` of the child in slot `index` (Cavs, section 3.1); zeros where the child is absent.",
};

extern const OpDef kChildren{
    .name = "children",
    .id = OpId::kChildren,
    .params = {},
    .attributes = attr::Children{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kEdge,
    .linear = LinearRule::kYes,
    .states = StateUse::kGathers,
    .indexed = true,
    .infer = state_shape,
    .gradient = [](GradientRule& g) { g.sink(OpId::kScatterGradient, {g.dy()}, g.attributes()); },
    .doc = "State `name` of all children, one row per child that is present. `index` is -1 - the first slot.",
};

extern const OpDef kGatherGradient{
    .name = "gather_gradient",
    .id = OpId::kGatherGradient,
    .params = {},
    .attributes = attr::Tensor{},
    .kind = OpKind::kSource,
    .in_public = false,
    .domain = DomainKind::kVertex,
    .linear = LinearRule::kYes,
    .states = StateUse::kGathers,
    .column_wise = true,
    .infer = [](Inference& i) { i.set_shape(i.get<attr::Tensor>().shape); },
    .doc = "Gradient of the scattered state `name`: the sum, in a fixed order, of the gradients from the parents.",
};

extern const OpDef kScatter{
    .name = "scatter",
    .id = OpId::kScatter,
    .params = {"x"},
    .attributes = attr::Named{},
    .kind = OpKind::kSink,
    .states = StateUse::kScatters,
    .places_input = true,
    .infer = infer_vertex_rows,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kGatherGradient, {}, attr::Tensor{g.get<attr::Named>().name, g.shape(0)});
        },
    .doc = "Sets the state `name`, which parents gather (Cavs, section 3.1).",
};

extern const OpDef kScatterGradient{
    .name = "scatter_gradient",
    .id = OpId::kScatterGradient,
    .params = {"dx"},
    .attributes = attr::Children{},
    .kind = OpKind::kSink,
    .in_public = false,
    .states = StateUse::kScatters,
    .places_input = true,
    .infer = [](Inference& i) { i.set_shape(i.in(0).shape); },
    .doc =
        "Writes the gradient of a gathered state, one row per pair of vertex and child. `name` is the state, `index` "
        "the child.",
};

}  // namespace cavs::inline v0_1
