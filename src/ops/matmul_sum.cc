#include "ops/op.h"

namespace cavs {

extern const OpDef kMatmulSum{
    .name = "matmul_sum",
    .params = {"x, w, ..."},
    .kind = OpKind::kMatmul,
    .variadic = true,
    .in_public = false,
    .zero = ZeroRule::kAnyInput,  // the products have the same rows
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[1]}); },
    .gradient =
        [](GradientRule& g) {
          for (int i = 0; i < g.inputs(); i += 2) {
            g.dx(i) += g.apply("matmul_transposed", {g.dy(), g.x(i + 1)});
            g.dx(i + 1) += g.apply("weight_gradient", {g.x(i), g.dy()});
          }
        },
    .reference = [](Reference& r) { add_pairs(r, "matmul"); },
    .doc = "The sum of several matmul, each a pair of inputs.",
};

}  // namespace cavs
