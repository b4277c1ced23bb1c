#include "ir/op.h"
#include "ops/log_sum_exp.h"

// Products of a row and a matrix in which other operations replace multiplication and addition. y_j is the logarithm of
// a sum of exponentials (log_matmul), or the maximum (max_matmul), of x_i + w_ij over i. A CRF (conditional random
// field) computes its partition function with log_matmul, and decodes with max_matmul.
namespace cavs::inline v0_1 {
namespace {

/// Infers the shape [n] of the product of [k] and [k, n].
void infer_log_matmul(Inference& i) {
  if (!i.in(1).shape_known) return;
  const Shape &x = i.in(0).shape, &w = i.in(1).shape;
  if (w.dims.size() != 2) i.fail("takes a vector [k] and a matrix [k, n], found {} as the second input", i.show(1));
  if (i.in(0).shape_known && (x.dims.size() != 1 || x.dims[0] != w.dims[0]))
    i.fail("inner sizes differ: x is {}, w is {}; expected [{}], x is {}, w is {}", to_string(x), to_string(w),
           w.dims[0], i.show(0), i.show(1));
  i.set_shape({w.dims[1]});
}

/// Adds the gradients: `op` computes the gradient with respect to each x_i + w_ij, which is dw; its sum over j is dx.
void log_matmul_gradient(GradientRule& g, OpId op) {
  const Value terms = g.apply(op, {g.x(0), g.x(1), g.y(), g.dy()});
  const Value ones = g.apply(OpId::kConstant, {}, attr::Constant{.number = 1, .shape = {g.shape(1).dims[1]}});
  g.dx(0) += g.apply(OpId::kBatchMatmul, {terms, ones});
  g.dx(1) += terms;
}

}  // namespace

extern const OpDef kLogMatmul{
    .name = "log_matmul",
    .id = OpId::kLogMatmul,
    .params = {"x", "w"},
    .partial = true,
    .infer = infer_log_matmul,
    .gradient = [](GradientRule& g) { log_matmul_gradient(g, OpId::kLogMatmulGrad); },
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &w = *r.x[1];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j)
              r.y.at(i, j) =
                  log_sum_exp(x.width, [&](std::int64_t k) { return x.at(i, k) + w.at(i, k * r.y.width + j); });
        },
    .doc = "y_j = log(sum_i(exp(x_i + w_ij))): the product [k] times [k, n] of exp(x) and exp(w), as a logarithm.",
};

extern const OpDef kLogMatmulGrad{
    .name = "log_matmul_grad",
    .id = OpId::kLogMatmulGrad,
    .params = {"x", "w", "y", "dy"},
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &w = *r.x[1], &y = *r.x[2], &dy = *r.x[3];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t c = 0; c < w.width; ++c) {
              const std::int64_t k = c / y.width, j = c % y.width;
              if (!std::isinf(y.at(i, j))) r.y.at(i, c) = std::exp(x.at(i, k) + w.at(i, c) - y.at(i, j)) * dy.at(i, j);
            }
        },
    .doc = "Gradient of log_matmul by x_i + w_ij: exp(x_i + w_ij - y_j) dy_j, or 0 where y_j is infinite.",
};

extern const OpDef kMaxMatmul{
    .name = "max_matmul",
    .id = OpId::kMaxMatmul,
    .params = {"x", "w"},
    .partial = true,
    .infer = infer_log_matmul,
    .gradient = [](GradientRule& g) { log_matmul_gradient(g, OpId::kMaxMatmulGrad); },
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &w = *r.x[1];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j) {
              r.y.at(i, j) = x.at(i, 0) + w.at(i, j);
              for (std::int64_t k = 1; k < x.width; ++k)
                r.y.at(i, j) = std::max(r.y.at(i, j), x.at(i, k) + w.at(i, k * r.y.width + j));
            }
        },
    .doc = "y_j = max_i(x_i + w_ij), for x [k] and w [k, n]. The first of several equal terms takes the gradient.",
};

extern const OpDef kMaxMatmulGrad{
    .name = "max_matmul_grad",
    .id = OpId::kMaxMatmulGrad,
    .params = {"x", "w", "y", "dy"},
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &w = *r.x[1], &y = *r.x[2], &dy = *r.x[3];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < y.width; ++j)
              for (std::int64_t k = 0; k < x.width; ++k)
                if (x.at(i, k) + w.at(i, k * y.width + j) == y.at(i, j)) {
                  r.y.at(i, k * y.width + j) = dy.at(i, j);
                  break;
                }
        },
    .doc = "Gradient of max_matmul by x_i + w_ij: dy_j at the first i that gives y_j.",
};

}  // namespace cavs::inline v0_1
