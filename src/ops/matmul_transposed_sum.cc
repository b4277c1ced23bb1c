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
    .reference = [](Reference& r) { add_pairs(r, "matmul_transposed"); },
    .doc = "The sum of several matmul_transposed, each a pair of inputs.",
};

}  // namespace cavs
