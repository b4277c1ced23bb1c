#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cavs/session_options.h"
#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/plan.h"

namespace cavs::inline v0_1 {

enum class ProductKind : std::uint8_t {
  kMatmul,            // y[rows, n] = x[rows, k] * w
  kMatmulTransposed,  // the same, by the transpose of a parameter
  kWeightGradient,    // dw[k, n]
};

/// A product of a step with its real number of rows.
struct Product {
  ProductKind kind;
  std::int32_t parameter = -1;  // of the first two
  std::int32_t rows = 0, k = 0, n = 0;

  double flops() const { return 2.0 * rows * k * n; }
  bool operator==(const Product&) const = default;
};

/// The products of a plan's steps, in the order in which they run; those without rows are left out.
std::vector<Product> list_products(const Program& program, const Plan& plan);

/// The products of every minibatch of an epoch in file order.
std::vector<std::vector<Product>> products_of_epoch(const Program& program, const GraphSet& data, int batch_size,
                                                    const SessionOptions& session);

}  // namespace cavs::inline v0_1
