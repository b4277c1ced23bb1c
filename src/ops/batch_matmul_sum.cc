#include "ops/batch_matmul.h"

namespace cavs {

extern const OpDef kBatchMatmulSum{
    .name = "batch_matmul_sum",
    .params = {"x", "y", "z", "w"},
    .in_public = false,
    .infer =
        [](Inference& i) {
          const std::int32_t m = i.in(0).shape.dims[0], n = i.in(1).shape.dims[1];
          set_product_shape(i, {m, i.in(1).shape.dims[0], n}, {m, n});
        },
    .gradient = [](GradientRule& g) { add_matrix_gradients(g, 0), add_matrix_gradients(g, 2); },
    .reference =
        [](Reference& r) {
          for (std::size_t i = 0; i < r.x.size(); i += 2) {
            Reference term{{r.x[i], r.x[i + 1]}, r.y, r.attributes};
            multiply_reference(term, Transposed::kNone);
          }
        },
    .doc = "batch_matmul(x, y) + batch_matmul(z, w) of matrices.",
};

}  // namespace cavs
