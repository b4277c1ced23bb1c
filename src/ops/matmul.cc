#include "ops/op.h"

namespace cavs {

extern const OpDef kMatmul{
    .name = "matmul",
    .params = {"x", "w"},
    .kind = OpKind::kMatmul,
    .partial = true,
    .zero = ZeroRule::kAnyInput,
    .infer =
        [](Inference& i) {
          const Shape &x = i.in(0).shape, &w = i.in(1).shape;
          if (i.in(1).op->name != "parameter" || w.dims.size() != 2)
            i.fail("takes rows and a parameter [k, n], found {} as the second", i.show(1));
          if (i.in(0).shape_known && (x.dims.size() != 1 || x.dims[0] != w.dims[0]))
            i.fail("inner sizes differ: x is [*, {}], {} is {} ({} != {}), x is {}", x.size(), i.in(1).attributes.name,
                   to_string(w), x.size(), w.dims[0], i.show(0));
          i.set_shape({w.dims[1]});
        },
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply("matmul_transposed", {g.dy(), g.x(1)});
          g.dx(1) += g.apply("weight_gradient", {g.x(0), g.dy()});
        },
    .reference =
        [](Reference& r) {
          const auto &x = *r.x[0], &w = *r.x[1];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t k = 0; k < x.width; ++k)
              for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(i, j) += x.at(i, k) * w.data[k * r.y.width + j];
        },
    .doc = "Rows [k] times a parameter [k, n]: [n].",
};

}  // namespace cavs
