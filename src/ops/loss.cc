#include "ops/vertex_rows.h"

namespace cavs::inline v0_1 {

extern const OpDef kLoss{
    .name = "loss",
    .id = OpId::kLoss,
    .params = {"x"},
    .kind = OpKind::kSink,
    .places_input = true,
    .infer =
        [](Inference& i) {
          if (i.in(0).shape.size() != 1)
            i.fail("takes one scalar per vertex, found {}; reduce it with sum_features", i.show(0));
          infer_vertex_rows(i);
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply(OpId::kLossGradient, {}); },
    .doc = "Adds one scalar per vertex to the loss of the minibatch.",
};

extern const OpDef kLossGradient{
    .name = "loss_gradient",
    .id = OpId::kLossGradient,
    .params = {},
    .kind = OpKind::kSource,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .linear = LinearRule::kYes,
    .infer = [](Inference& i) { i.set_shape({}); },
    .doc = "Gradient of the minibatch's loss with respect to the loss of a vertex: 1 / number of samples.",
};

}  // namespace cavs::inline v0_1
