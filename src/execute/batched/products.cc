#include "execute/batched/products.h"

#include <algorithm>
#include <array>

#include "plan/work_share.h"

namespace cavs {
namespace {

/// Whether each result is one sum over all factors.
bool sums_views(const PackedWeights& weights, const Matmul& product) {
  const Factor& first = product.factors.front();
  if (!weights[first.weight].is_view()) return false;
  const int sums = weights[first.weight].viewed(0).sums();
  return std::ranges::all_of(product.factors, [&](const Factor& factor) {
    const cpu::PackedWeight& w = weights[factor.weight];
    if (!w.is_view()) return false;
    for (int part = 0; part < w.parts(); ++part)
      if (w.viewed(part).sums() != sums) return false;
    return true;
  });
}

/// Of all results side by side.
std::int32_t width_of(const Instruction& i) {
  std::int32_t width = 0;
  for (const Operand& o : i.out) width += o.width;
  return width;
}

}  // namespace

void ProductRunner::run(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows) const {
  const int units = weights_[product.factors[0].weight].units();  // those of all factors
  const ProductShare share = share_of_product(rows.begin, rows.end, units, worker.number, worker.workers);
  if (share.empty()) return;
  worker.units = {share.unit_begin, share.unit_end};
  run_blocks(worker, i, product, {share.row_begin, share.row_end});
}

void ProductRunner::run_blocks(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows) const {
  for (std::int32_t begin = rows.begin; begin < rows.end; begin += cpu::kRowBlock)
    run_units(worker, i, product, {begin, std::min(begin + cpu::kRowBlock, rows.end)});
}

int ProductRunner::units(const Instruction& i) const {
  const auto* const group = i.as<RowGroup>();
  const auto* const product = group == nullptr ? i.as<Matmul>() : group->members.front().as<Matmul>();
  return product == nullptr ? 0 : weights_[product->factors.front().weight].units();
}

void ProductRunner::run_units(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows) const {
  if (sums_views(weights_, product)) return multiply_views(worker, i, product, rows);
  for (std::size_t k = 0; k < product.factors.size(); ++k) {
    const Factor& factor = product.factors[k];
    worker.products.clear();
    for (std::size_t p = 0; p < factor.outs.size(); ++p)
      worker.products.push_back({worker.write(i.out[factor.outs[p]]), factor.add[p] != 0});
    worker.count_weight(factor.weight, worker.units);
    cpu::matmul(worker.read(i.in[k]), rows.begin, rows.end, weights_[factor.weight], worker.products,
                worker.units.begin, worker.units.end, worker.scratch);
  }
}

/// Calls f(result, factors, add) for each result with the factors that make it, a few at a time.
template <typename F>
void each_result(const StepView& view, const PackedWeights& weights, const Instruction& i, const Matmul& product, F f) {
  for (std::int32_t out = 0; out < static_cast<std::int32_t>(i.out.size()); ++out) {
    cpu::ViewFactor factors[cpu::kMostFactors];
    int count = 0;
    bool add = false;
    for (std::size_t k = 0; k < product.factors.size(); ++k) {
      const Factor& factor = product.factors[k];
      const auto at = std::ranges::find(factor.outs, out);
      if (at == factor.outs.end()) continue;
      const auto part = static_cast<int>(at - factor.outs.begin());
      if (count == cpu::kMostFactors) f(out, std::span(factors, static_cast<std::size_t>(count)), add), count = 0;
      if (count == 0) add = factor.add[static_cast<std::size_t>(part)] != 0;
      factors[count++] = {view.read(i.in[k]), &weights[factor.weight], part};
    }
    if (count > 0) f(out, std::span(factors, static_cast<std::size_t>(count)), add);
  }
}

void ProductRunner::multiply_views(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows) const {
  for (const Factor& factor : product.factors) worker.count_weight(factor.weight, worker.units);
  each_result(worker, weights_, i, product, [&](std::int32_t out, std::span<const cpu::ViewFactor> factors, bool add) {
    const int sums = factors.front().view->viewed(factors.front().part).sums();
    cpu::multiply_views(factors, rows.begin, rows.end, worker.units, {0, sums}, {worker.write(i.out[out]), add},
                        worker.scratch);
  });
}

void ProductRunner::run_sums(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows,
                             Range<int> units, float* sums) const {
  for (const Factor& factor : product.factors) worker.count_weight(factor.weight, {0, weights_[factor.weight].units()});
  const std::int32_t stride = width_of(i);
  float* column = StepView::shifted(sums, -std::int64_t{rows.begin} * stride);
  each_result(worker, weights_, i, product, [&](std::int32_t out, std::span<const cpu::ViewFactor> factors, bool) {
    const cpu::ViewFactor& first = factors.front();
    const Rows to{column, stride, i.out[out].width};
    cpu::multiply_views(factors, rows.begin, rows.end, {0, first.view->units()}, first.view->sums_of(first.part, units),
                        {to, false}, worker.scratch);
    column += to.width;
  });
}

void ProductRunner::add_sums(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows,
                             Range<int> units, std::span<const float* const> sums) const {
  const std::int32_t stride = width_of(i);
  std::int64_t column = -std::int64_t{rows.begin} * stride;
  each_result(worker, weights_, i, product, [&](std::int32_t out, std::span<const cpu::ViewFactor> factors, bool add) {
    const cpu::ViewFactor& first = factors.front();
    std::array<ConstRows, kMostSumParts> x;
    for (std::size_t p = 0; p < sums.size(); ++p) x[p] = {StepView::shifted(sums[p], column), stride};
    cpu::add_sums(std::span(x).first(sums.size()), rows.begin, rows.end, *first.view, first.part, units,
                  {worker.write(i.out[out]), add});
    column += i.out[out].width;
  });
}

}  // namespace cavs
