#include "ops/batch_matmul.h"

#include <limits>

#include "declare/builder.h"

namespace cavs {

void set_product_shape(Inference& i, const ProductSizes& sizes, Shape shape) {
  if (std::int64_t{sizes.m} * sizes.n > std::numeric_limits<std::int32_t>::max())
    i.fail("the product is [{}, {}], more than 2^31 numbers a row: {} times {}", sizes.m, sizes.n, i.show(0),
           i.show(1));
  i.node().attributes.count = sizes.m;
  i.set_shape(std::move(shape));
}

void multiply_reference(Reference& r, Transposed transposed) {
  const auto &x = *r.x[0], &y = *r.x[1];
  const std::int64_t m = r.attributes.count, k = x.width / m, n = r.y.width / m;
  const bool left = transposed == Transposed::kLeft, right = transposed == Transposed::kRight;
  for (std::int64_t row = 0; row < r.y.rows; ++row)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t p = 0; p < k; ++p)
          r.y.at(row, i * n + j) += x.at(row, left ? p * m + i : i * k + p) * y.at(row, right ? j * k + p : p * n + j);
}

void add_matrix_gradients(GradientRule& g, int i) {
  const Value x = g.x(i), y = g.x(i + 1), dy = g.dy();
  const auto of_no_vertex = [](const Value& value) {
    return value.builder()->function().nodes[value.id()].domain.kind == DomainKind::kParameter;
  };
  const bool weight = of_no_vertex(y) && !of_no_vertex(x);
  g.dx(i) += g.apply("batch_matmul_right", {dy, y});
  g.dx(i + 1) += weight ? g.apply("weight_gradient", {x, dy}, {.count = g.attributes().count})
                        : g.apply("batch_matmul_left", {x, dy});
}

namespace {

void infer_batch_matmul(Inference& i) {
  const std::vector<std::int32_t>&x = i.in(0).shape.dims, &y = i.in(1).shape.dims;
  const bool row = x.size() == 1, column = y.size() == 1;
  if (x.empty() || x.size() > 2 || y.empty() || y.size() > 2 || (row && column))
    i.fail("takes two matrices a vertex, or one and a vector; found {} and {}; the product of two vectors is dot()",
           i.show(0), i.show(1));
  if (x.back() != y.front())
    i.fail("inner sizes differ: x is {}, y is {} ({} != {}), x is {}", to_string(i.in(0).shape),
           to_string(i.in(1).shape), x.back(), y.front(), i.show(0));
  const ProductSizes s{row ? 1 : x[0], y[0], column ? 1 : y[1]};
  set_product_shape(i, s, row ? Shape{s.n} : column ? Shape{s.m} : Shape{s.m, s.n});
}

void batch_matmul_gradient(GradientRule& g) {
  const Value x = g.x(0), y = g.x(1), dy = g.dy();
  if (g.shape(0).dims.size() == 1) {
    g.dx(0) += g.apply("batch_matmul", {y, dy});
    g.dx(1) += g.apply("batch_matmul_left", {x, dy});
  } else if (g.shape(1).dims.size() == 1) {
    g.dx(0) += g.apply("batch_matmul_left", {dy, y});
    g.dx(1) += g.apply("batch_matmul", {dy, x});
  } else {
    add_matrix_gradients(g, 0);
  }
}

}  // namespace

extern const OpDef kBatchMatmul{
    .name = "batch_matmul",
    .params = {"x", "y"},
    .zero = ZeroRule::kAnyInput,
    .infer = infer_batch_matmul,
    .gradient = batch_matmul_gradient,
    .reference = [](Reference& r) { multiply_reference(r, Transposed::kNone); },
    .doc = "Product of two values of a vertex: [m, k] times [k, n]: [m, n]; a vector [k] is a row of one or a column.",
};

}  // namespace cavs
