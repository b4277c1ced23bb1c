#include "ops/log_matmul.h"

namespace cavs {

extern const OpDef kMaxMatmulGrad{
    .name = "max_matmul_grad",
    .params = {"x", "w", "y", "dy"},
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &w = *r.x[1], &y = *r.x[2], &dy = *r.x[3];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < y.width; ++j)
              for (std::int64_t k = 0; k < x.width; ++k)
                if (x.at(i, k) + w.at(i, k * y.width + j) == y.at(i, j)) {
                  r.y.at(i, k * y.width + j) = dy.at(i, j);
                  break;
                }
        },
    .doc = "Gradient of max_matmul by x_i + w_ij: dy_j at the first i that gives y_j.",
};

}  // namespace cavs
