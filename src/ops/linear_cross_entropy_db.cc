#include "ops/linear_cross_entropy.h"

namespace cavs {

extern const OpDef kLinearCrossEntropyDb{
    .name = "linear_cross_entropy_db",
    .params = {"x", "w", "label", "b", "dy"},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[1]}); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.x[0]->rows; ++i) {
            const std::vector<double> g = linear_logits_gradient(r, i);
            for (std::size_t j = 0; j < g.size(); ++j) r.y.data[j] += g[j];
          }
        },
    .doc = "Gradient of linear_cross_entropy by b, summed over all rows: [n].",
};

}  // namespace cavs
