#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kDiagonal{
    .name = "diagonal",
    .id = OpId::kDiagonal,
    .params = {"x"},
    .zero = ZeroRule::kAllInputs,
    .infer =
        [](Inference& i) {
          if (i.in(0).shape.dims.size() != 1 || i.in(0).shape.dims[0] > 46'340)
            i.fail("takes a vector of at most 46340 numbers, found {}", i.show(0));
          const std::int32_t n = i.in(0).shape.dims[0];
          i.set_shape({n, n});
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply(OpId::kDiagonalGradient, {g.dy()}); },
    .reference =
        [](Reference& r) {
          const std::int64_t n = r.x[0]->width;
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < n; ++j) r.y.at(i, j * n + j) = r.x[0]->at(i, j);
        },
    .doc = "The matrix [n, n] with the vector [n] on its diagonal and zeros elsewhere.",
};

extern const OpDef kDiagonalGradient{
    .name = "diagonal_gradient",
    .id = OpId::kDiagonalGradient,
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

}  // namespace cavs::inline v0_1
