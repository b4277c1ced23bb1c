#include "ops/log_matmul.h"

namespace cavs {

extern const OpDef kLogMatmulGrad{
    .name = "log_matmul_grad",
    .params = {"x", "w", "y", "dy"},
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &w = *r.x[1], &y = *r.x[2], &dy = *r.x[3];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t c = 0; c < w.width; ++c) {
              const std::int64_t k = c / y.width, j = c % y.width;
              if (!std::isinf(y.at(i, j))) r.y.at(i, c) = std::exp(x.at(i, k) + w.at(i, c) - y.at(i, j)) * dy.at(i, j);
            }
        },
    .doc = "Gradient of log_matmul by x_i + w_ij: exp(x_i + w_ij - y_j) dy_j; 0 where y_j is infinite.",
};

}  // namespace cavs
