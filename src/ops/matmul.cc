#include <algorithm>

#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kMatmul{
    .name = "matmul",
    .id = OpId::kMatmul,
    .params = {"x", "w"},
    .kind = OpKind::kMatmul,
    .partial = true,
    .zero = ZeroRule::kAnyInput,
    .linear = LinearRule::kYes,
    .sum = OpId::kMatmulSum,
    .infer =
        [](Inference& i) {
          const Shape &x = i.in(0).shape, &w = i.in(1).shape;
          if (!i.in(1).is(OpId::kParameter) || w.dims.size() != 2)
            i.fail("takes rows and a parameter [k, n], found {} as the second input", i.show(1));
          if (i.in(0).shape_known && (x.dims.size() != 1 || x.dims[0] != w.dims[0]))
            i.fail("inner sizes differ: x is [*, {}], {} is {} ({} != {}), x is {}", x.size(), i.in(1).attribute_name(),
                   to_string(w), x.size(), w.dims[0], i.show(0));
          i.set_shape({w.dims[1]});
        },
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kMatmulTransposed, {g.dy(), g.x(1)});
          g.dx(1) += g.apply(OpId::kWeightGradient, {g.x(0), g.dy()});
        },
    .reference =
        [](Reference& r) {
          const auto &x = *r.x[0], &w = *r.x[1];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t k = 0; k < x.width; ++k)
              for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(i, j) += x.at(i, k) * w.data[k * r.y.width + j];
        },
    .doc = "Rows [k] times a parameter [k, n]; rows [n].",
};

extern const OpDef kMatmulTransposed{
    .name = "matmul_transposed",
    .id = OpId::kMatmulTransposed,
    .params = {"x", "w"},
    .kind = OpKind::kMatmul,
    .zero = ZeroRule::kAnyInput,
    .linear = LinearRule::kYes,
    .sum = OpId::kMatmulTransposedSum,
    .infer =
        [](Inference& i) {
          const Shape &x = i.in(0).shape, &w = i.in(1).shape;
          if (!i.in(1).is(OpId::kParameter) || w.dims.size() != 2)
            i.fail("takes rows and a parameter [k, n], found {} as the second input", i.show(1));
          if (i.in(0).shape_known && x.size() != w.dims[1])
            i.fail("inner sizes differ: x is [*, {}], {} is {}, read transposed ({} != {}), x is {}", x.size(),
                   i.in(1).attribute_name(), to_string(w), x.size(), w.dims[1], i.show(0));
          i.set_shape({w.dims[0]});
        },
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kMatmul, {g.dy(), g.x(1)});
          g.dx(1) += g.apply(OpId::kWeightGradient, {g.dy(), g.x(0)});
        },
    .reference =
        [](Reference& r) {
          const auto &x = *r.x[0], &w = *r.x[1];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j)
              for (std::int64_t k = 0; k < x.width; ++k) r.y.at(i, j) += x.at(i, k) * w.data[j * x.width + k];
        },
    .doc = "Rows [n] times the transpose of a parameter [k, n]; rows [k].",
};

extern const OpDef kMatmulSum{
    .name = "matmul_sum",
    .id = OpId::kMatmulSum,
    .params = {"x, w, ..."},
    .kind = OpKind::kMatmul,
    .variadic = true,
    .in_public = false,
    .zero = ZeroRule::kAnyInput,  // all products have the same rows
    .linear = LinearRule::kYes,
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[1]}); },
    .gradient =
        [](GradientRule& g) {
          for (int i = 0; i < g.inputs(); i += 2) {
            g.dx(i) += g.apply(OpId::kMatmulTransposed, {g.dy(), g.x(i + 1)});
            g.dx(i + 1) += g.apply(OpId::kWeightGradient, {g.x(i), g.dy()});
          }
        },
    .doc = "The sum of several matmul; each has two of the inputs.",
};

extern const OpDef kMatmulTransposedSum{
    .name = "matmul_transposed_sum",
    .id = OpId::kMatmulTransposedSum,
    .params = {"x, w, ..."},
    .kind = OpKind::kMatmul,
    .variadic = true,
    .in_public = false,
    .zero = ZeroRule::kAnyInput,  // all products have the same rows
    .linear = LinearRule::kYes,
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[0]}); },
    .gradient =
        [](GradientRule& g) {
          for (int i = 0; i < g.inputs(); i += 2) {
            g.dx(i) += g.apply(OpId::kMatmul, {g.dy(), g.x(i + 1)});
            g.dx(i + 1) += g.apply(OpId::kWeightGradient, {g.dy(), g.x(i)});
          }
        },
    .doc = "The sum of several matmul_transposed; each has two of the inputs.",
};

extern const OpDef kWeightGradient{
    .name = "weight_gradient",
    .id = OpId::kWeightGradient,
    .params = {"x", "dy"},
    .attributes = attr::Matrices{.rows = 1},
    .kind = OpKind::kReduceRows,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .infer =
        [](Inference& i) {
          const std::int64_t m = i.get<attr::Matrices>().rows;
          i.set_shape({static_cast<std::int32_t>(i.in(0).shape.size() / m),
                       static_cast<std::int32_t>(i.in(1).shape.size() / m)});
        },
    .reference =
        [](Reference& r) {
          const auto &x = *r.x[0], &dy = *r.x[1];
          const std::int64_t m = r.get<attr::Matrices>().rows, width = x.width / m, columns = dy.width / m;
          for (std::int64_t i = 0; i < dy.rows * m; ++i)
            for (std::int64_t k = 0; k < width; ++k)
              for (std::int64_t j = 0; j < columns; ++j)
                r.y.data[k * columns + j] += x.at(i / m, i % m * width + k) * dy.at(i / m, i % m * columns + j);
        },
    .doc =
        "Sum over rows of the outer products of x [k] and dy [n]; shape [k, n]. If `count` is not 0, each row holds "
        "matrices [count, k] and [count, n].",
};

}  // namespace cavs::inline v0_1
