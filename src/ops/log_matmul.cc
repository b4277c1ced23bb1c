#include "ops/log_matmul.h"

namespace cavs {

void infer_log_matmul(Inference& i) {
  if (!i.in(1).shape_known) return;
  const Shape &x = i.in(0).shape, &w = i.in(1).shape;
  if (w.dims.size() != 2) i.fail("takes a vector [k] and a matrix [k, n], found {} as the second", i.show(1));
  if (i.in(0).shape_known && (x.dims.size() != 1 || x.dims[0] != w.dims[0]))
    i.fail("inner sizes differ: x is {}, w is {}; expected [{}], x is {}, w is {}", to_string(x), to_string(w),
           w.dims[0], i.show(0), i.show(1));
  i.set_shape({w.dims[1]});
}

void log_matmul_gradient(GradientRule& g, std::string_view op) {
  const Value terms = g.apply(op, {g.x(0), g.x(1), g.y(), g.dy()});
  const Value ones = g.apply("constant", {}, {.number = 1, .shape = {g.shape(1).dims[1]}});
  g.dx(0) += g.apply("batch_matmul", {terms, ones});
  g.dx(1) += terms;
}

extern const OpDef kLogMatmul{
    .name = "log_matmul",
    .params = {"x", "w"},
    .partial = true,
    .infer = infer_log_matmul,
    .gradient = [](GradientRule& g) { log_matmul_gradient(g, "log_matmul_grad"); },
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &w = *r.x[1];
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j)
              r.y.at(i, j) =
                  log_sum_exp(x.width, [&](std::int64_t k) { return x.at(i, k) + w.at(i, k * r.y.width + j); });
        },
    .doc = "y_j = log(sum_i(exp(x_i + w_ij))): a product [k] times [k, n] of what the inputs are logarithms of.",
};

}  // namespace cavs
