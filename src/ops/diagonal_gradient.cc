#include "ops/op.h"

namespace cavs {

extern const OpDef kDiagonalGradient{
    .name = "diagonal_gradient",
    .params = {"dy"},
    .in_public = false,
    .zero = ZeroRule::kAllInputs,
    .infer = [](Inference& i) { i.set_shape({i.in(0).shape.dims[0]}); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(i, j) = r.x[0]->at(i, j * r.y.width + j);
        },
    .doc = "dx of diagonal: the diagonal of dy [n, n].",
};

}  // namespace cavs
