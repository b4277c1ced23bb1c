#include "ops/op.h"

namespace cavs {

extern const OpDef kMatmulTransposed{
    .name = "matmul_transposed",
    .params = {"x", "w"},
    .kind = OpKind::kMatmul,
    .in_public = false,
    .zero = ZeroRule::kAnyInput,
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[0]}); },
    .reference =
        [](Reference& r) {
          const auto &x = *r.x[0], &w = *r.x[1];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j)
              for (std::int64_t k = 0; k < x.width; ++k) r.y.at(i, j) += x.at(i, k) * w.data[j * x.width + k];
        },
    .doc = "Rows [n] times the transpose of a parameter [k, n]: [k].",
};

}  // namespace cavs
