#include "ops/batch_matmul.h"

namespace cavs {

extern const OpDef kBatchMatmulRight{
    .name = "batch_matmul_right",
    .params = {"x", "y"},
    .in_public = false,
    .zero = ZeroRule::kAnyInput,
    .infer =
        [](Inference& i) {
          const std::vector<std::int32_t>&x = i.in(0).shape.dims, &y = i.in(1).shape.dims;
          set_product_shape(i, {x[0], x[1], y[0]}, {x[0], y[0]});
        },
    .reference = [](Reference& r) { multiply_reference(r, Transposed::kRight); },
    .doc = "[m, k] times the transpose of [n, k]: [m, n].",
};

}  // namespace cavs
