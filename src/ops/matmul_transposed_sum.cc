#include "ops/op.h"

namespace cavs {

extern const OpDef kMatmulTransposedSum{
    .name = "matmul_transposed_sum",
    .params = {"x, w, ..."},
    .kind = OpKind::kMatmul,
    .variadic = true,
    .in_public = false,
    .zero = ZeroRule::kAnyInput,  // the products have the same rows
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[0]}); },
    .reference =
        [](Reference& r) {
          for (std::size_t i = 0; i < r.x.size(); i += 2) {
            Reference term{{r.x[i], r.x[i + 1]}, r.y, r.attributes};
            find_op("matmul_transposed").reference(term);
          }
        },
    .doc = "The sum of several matmul_transposed, each a pair of inputs.",
};

}  // namespace cavs
