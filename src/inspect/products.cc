#include "inspect/products.h"

#include <algorithm>

namespace cavs::inline v0_1::inspect {
namespace {

/// Adds the products of a linear cross-entropy, which computes its logits tile by tile.
void add_tiles(const Tensor& logits, const LinearCrossEntropy& entropy, std::int32_t k, std::int32_t rows,
               std::vector<Product>& products) {
  const std::int32_t n = logits.width, max = logits.max_rows;
  for (; rows > 0; rows -= max) {
    const std::int32_t tile = std::min(rows, max);
    products.push_back({Product::Kind::kForward, entropy.parameter, tile, k, n});
    if (entropy.dx >= 0) products.push_back({Product::Kind::kBackward, entropy.parameter, tile, n, k});
    if (entropy.dw >= 0) products.push_back({Product::Kind::kWeightGradient, -1, tile, k, n});
  }
}

void add_factors(const Instruction& i, const Matmul& product, std::int32_t rows, std::vector<Product>& products) {
  const auto kind = product.transposed ? Product::Kind::kBackward : Product::Kind::kForward;
  for (std::size_t k = 0; k < product.factors.size(); ++k) {
    const Factor& factor = product.factors[k];
    for (std::size_t p = 0; p < factor.outs.size(); ++p)
      products.push_back({kind, factor.parameters[p], rows, i.in[k].width, i.out[factor.outs[p]].width});
  }
}

void list_products(const Program& program, const Plan& plan, const Step& step, std::vector<Product>& products) {
  const TypeProgram& type = program.types[step.type];
  each_instruction(type.at(step.backward, step.stage), [&](const Instruction& i) {
    const auto [begin, end] = plan.range(step, i.domain);
    const std::int32_t rows = end - begin;
    if (rows == 0) return;
    if (const auto* product = i.as<Matmul>()) add_factors(i, *product, rows, products);
    if (const auto* gradient = i.as<WeightGradient>()) {
      const std::int32_t m = gradient->matrix_rows;
      products.push_back({Product::Kind::kWeightGradient, -1, rows * m, i.in[0].width / m, i.in[1].width / m});
    }
    if (const auto* entropy = i.as<LinearCrossEntropy>())
      add_tiles(type.tensors[entropy->tile.id], *entropy, i.in[0].width, rows, products);
  });
}

}  // namespace

std::vector<Product> list_products(const Program& program, const Plan& plan) {
  std::vector<Product> products;
  for (const Step& step : plan.steps) list_products(program, plan, step, products);
  return products;
}

}  // namespace cavs::inline v0_1::inspect
