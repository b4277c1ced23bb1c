#include <limits>

#include "ir/builder.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// Sizes of the product of two values of a vertex, [m, k] times [k, n].
struct ProductSizes {
  std::int32_t m, k, n;
};

/// The operand of a product that is read transposed.
enum class Transposed : std::uint8_t { kNone, kLeft, kRight };

/// Sets the shape of the product, and stores m in attr::Matrices for kernels and for the reference definition.
/// @throws UserError if the product has more numbers than a row can have.
void set_product_shape(Inference& i, const ProductSizes& sizes, Shape shape) {
  if (std::int64_t{sizes.m} * sizes.n > std::numeric_limits<std::int32_t>::max())
    i.fail("the product is [{}, {}], more than 2^31 numbers per row: {} times {}", sizes.m, sizes.n, i.show(0),
           i.show(1));
  i.node().attributes = attr::Matrices{sizes.m};
  i.set_shape(std::move(shape));
}

/// The reference definition of batch_matmul, and of the products with a transposed operand.
void multiply_reference(Reference& r, Transposed transposed) {
  const auto &x = *r.x[0], &y = *r.x[1];
  const std::int64_t m = r.get<attr::Matrices>().rows, k = x.width / m, n = r.y.width / m;
  const bool left = transposed == Transposed::kLeft, right = transposed == Transposed::kRight;
  for (std::int64_t row = 0; row < r.y.rows; ++row)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t p = 0; p < k; ++p)
          r.y.at(row, i * n + j) += x.at(row, left ? p * m + i : i * k + p) * y.at(row, right ? j * k + p : p * n + j);
}

/// Adds the gradients of inputs i and i + 1, two matrices that are multiplied. The gradient of a parameter is one sum
/// over all rows of all vertices, unless both inputs are parameters.
void add_matrix_gradients(GradientRule& g, int i) {
  const Value x = g.x(i), y = g.x(i + 1), dy = g.dy();
  const auto of_no_vertex = [](const Value& value) {
    return value.builder()->function().nodes[value.id()].domain.kind == DomainKind::kParameter;
  };
  const bool weight = of_no_vertex(y) && !of_no_vertex(x);
  g.dx(i) += g.apply(OpId::kBatchMatmulRight, {dy, y});
  g.dx(i + 1) +=
      weight ? g.apply(OpId::kWeightGradient, {x, dy}, g.attributes()) : g.apply(OpId::kBatchMatmulLeft, {x, dy});
}

void infer_batch_matmul(Inference& i) {
  const std::vector<std::int32_t>&x = i.in(0).shape.dims, &y = i.in(1).shape.dims;
  const bool row = x.size() == 1, column = y.size() == 1;
  if (x.empty() || x.size() > 2 || y.empty() || y.size() > 2 || (row && column))
    i.fail(
        "takes two matrices per vertex, or a matrix and a vector; found {} and {}; the product of two vectors is dot()",
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
    g.dx(0) += g.apply(OpId::kBatchMatmul, {y, dy});
    g.dx(1) += g.apply(OpId::kBatchMatmulLeft, {x, dy});
  } else if (g.shape(1).dims.size() == 1) {
    g.dx(0) += g.apply(OpId::kBatchMatmulLeft, {dy, y});
    g.dx(1) += g.apply(OpId::kBatchMatmul, {dy, x});
  } else {
    add_matrix_gradients(g, 0);
  }
}

}  // namespace

extern const OpDef kBatchMatmul{
    .name = "batch_matmul",
    .id = OpId::kBatchMatmul,
    .params = {"x", "y"},
    .attributes = attr::Matrices{},
    .zero = ZeroRule::kAnyInput,
    .sum = OpId::kBatchMatmulSum,
    .infer = infer_batch_matmul,
    .gradient = batch_matmul_gradient,
    .reference = [](Reference& r) { multiply_reference(r, Transposed::kNone); },
    .doc =
        "Product of two values of a vertex: [m, k] times [k, n] gives [m, n]. A vector [k] is one row or one column.",
};

extern const OpDef kBatchMatmulLeft{
    .name = "batch_matmul_left",
    .id = OpId::kBatchMatmulLeft,
    .params = {"x", "y"},
    .attributes = attr::Matrices{},
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
    .doc = "The transpose of [k, m], times [k, n], gives [m, n]. Two vectors [m] and [n] give their outer product.",
};

extern const OpDef kBatchMatmulRight{
    .name = "batch_matmul_right",
    .id = OpId::kBatchMatmulRight,
    .params = {"x", "y"},
    .attributes = attr::Matrices{},
    .in_public = false,
    .zero = ZeroRule::kAnyInput,
    .infer =
        [](Inference& i) {
          const std::vector<std::int32_t>&x = i.in(0).shape.dims, &y = i.in(1).shape.dims;
          set_product_shape(i, {x[0], x[1], y[0]}, {x[0], y[0]});
        },
    .reference = [](Reference& r) { multiply_reference(r, Transposed::kRight); },
    .doc = "[m, k] times the transpose of [n, k] gives [m, n].",
};

extern const OpDef kBatchMatmulSum{
    .name = "batch_matmul_sum",
    .id = OpId::kBatchMatmulSum,
    .params = {"x", "y", "z", "w"},
    .attributes = attr::Matrices{},
    .in_public = false,
    .infer =
        [](Inference& i) {
          const std::int32_t m = i.in(0).shape.dims[0], n = i.in(1).shape.dims[1];
          set_product_shape(i, {m, i.in(1).shape.dims[0], n}, {m, n});
        },
    .gradient =
        [](GradientRule& g) {
          add_matrix_gradients(g, 0);
          add_matrix_gradients(g, 2);
        },
    .doc = "batch_matmul(x, y) + batch_matmul(z, w), for matrices.",
};

}  // namespace cavs::inline v0_1
