#include "ops/log_matmul.h"

namespace cavs {

extern const OpDef kMaxMatmul{
    .name = "max_matmul",
    .params = {"x", "w"},
    .partial = true,
    .infer = infer_log_matmul,
    .gradient = [](GradientRule& g) { log_matmul_gradient(g, "max_matmul_grad"); },
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &w = *r.x[1];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j) {
              r.y.at(i, j) = x.at(i, 0) + w.at(i, j);
              for (std::int64_t k = 1; k < x.width; ++k)
                r.y.at(i, j) = std::max(r.y.at(i, j), x.at(i, k) + w.at(i, k * r.y.width + j));
            }
        },
    .doc = "y_j = max_i(x_i + w_ij), of [k] and [k, n]; of several the first i takes the gradient.",
};

}  // namespace cavs
