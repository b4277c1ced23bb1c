#include "ops/batch_matmul.h"

namespace cavs {

extern const OpDef kBatchMatmulLeft{
    .name = "batch_matmul_left",
    .params = {"x", "y"},
    .in_public = false,
    .zero = ZeroRule::kAnyInput,
    .infer =
        [](Inference& i) {
          const std::vector<std::int32_t>&x = i.in(0).shape.dims, &y = i.in(1).shape.dims;
          const bool vectors = x.size() == 1;
          const ProductSizes s{vectors ? x[0] : x[1], vectors ? 1 : x[0], vectors ? y[0] : y[1]};
          set_product_shape(i, s, {s.m, s.n});
        },
    .reference = [](Reference& r) { multiply_reference(r, Transposed::kLeft); },
    .doc = "Transpose of [k, m] times [k, n]: [m, n]; of two vectors [m], [n] their outer product.",
};

}  // namespace cavs
