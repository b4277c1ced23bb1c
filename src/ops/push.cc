#include "ops/vertex_rows.h"

namespace cavs::inline v0_1 {

extern const OpDef kPush{
    .name = "push",
    .id = OpId::kPush,
    .params = {"x"},
    .attributes = attr::Named{},
    .kind = OpKind::kSink,
    .places_input = true,
    .infer = infer_vertex_rows,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kPushGradient, {}, attr::Tensor{g.get<attr::Named>().name, g.shape(0)});
        },
    .doc = "External output of a vertex (Cavs, section 3.1). `name` is the port.",
};

extern const OpDef kPushGradient{
    .name = "push_gradient",
    .id = OpId::kPushGradient,
    .params = {},
    .attributes = attr::Tensor{},
    .kind = OpKind::kSource,
    .in_public = false,
    .domain = DomainKind::kVertex,
    .linear = LinearRule::kYes,
    .infer = [](Inference& i) { i.set_shape(i.get<attr::Tensor>().shape); },
    .doc = "Gradient of a push to port `name`, supplied by the caller.",
};

}  // namespace cavs::inline v0_1
