#include "ops/linear_cross_entropy.h"

namespace cavs {

extern const OpDef kLinearCrossEntropyDw{
    .name = "linear_cross_entropy_dw",
    .params = {"x", "w", "label", "b", "dy"},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .reference =
        [](Reference& r) {
          const auto& x = *r.x[0];
          for (std::int64_t i = 0; i < x.rows; ++i) {
            const std::vector<double> g = linear_logits_gradient(r, i);
            const auto classes = static_cast<std::int64_t>(g.size());
            for (std::int64_t k = 0; k < x.width; ++k)
              for (std::int64_t j = 0; j < classes; ++j) r.y.data[k * classes + j] += x.at(i, k) * g[j];
          }
        },
    .doc = "Gradient of linear_cross_entropy by w, summed over all rows: [k, n].",
};

}  // namespace cavs
