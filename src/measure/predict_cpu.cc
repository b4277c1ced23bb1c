#include "measure/predict_cpu.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/kernels.h"
#include "measure/products.h"
#include "support/check.h"

namespace cavs {
namespace {

/// Gradient and weight are read, the weight and its transposed copy are written.
double update_passes(const OnChipTarget& target) { return target.transposed == TransposedReads::kCopy ? 4 : 3; }

/// Units of the processor that has most of them.
std::int64_t most_units(const PlacedWeight& placed) {
  std::int64_t most = 0;
  for (const std::int32_t owner : placed.owner)
    most = std::max<std::int64_t>(most, std::ranges::count(placed.owner, owner));
  return most;
}

}  // namespace

CpuPredictor::CpuPredictor(const Program& program, const WeightPlacement& placement, const CoreSpeed& speed)
    : program_(program), placement_(placement), speed_(speed), writer_(program, placement, false) {
  CAVS_ASSERT(placement.target.processors == speed.cores);
}

void CpuPredictor::add(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (step.stage == Stage::kTask)
      add_task(plan, step);
    else
      sum_.outside += outside_us(plan, step);
  const double meetings = meetings_of(plan);
  sum_.meetings += meetings, sum_.rendezvous += meetings * speed_.rendezvous_us;
  sum_.update += update_us(plan);
  ++sum_.steps;
}

CpuPrediction CpuPredictor::mean() const {
  CAVS_ASSERT(sum_.steps > 0);
  CpuPrediction p = sum_;
  for (double* const value :
       {&p.products, &p.meetings, &p.cache_bound, &p.fma_bound, &p.outside, &p.update, &p.rendezvous})
    *value /= static_cast<double>(p.steps);
  return p;
}

/// On one core: the weight passes through it once for each block of rows, and every number of it is multiplied with
/// every row.
CpuPredictor::Bounds CpuPredictor::bounds_of_product(double rows, double k, double columns) const {
  const double bytes = k * columns * double{sizeof(float)};
  return {.cache = std::ceil(rows / cpu::kRowBlock) * bytes / speed_.gb_s(bytes) / 1e3,
          .fma = 2 * rows * k * columns / speed_.gflops / 1e3};
}

/// The core with most columns of a weight is what the others wait for.
void CpuPredictor::add_task(const Plan& plan, const Step& step) {
  each_instruction(program_.types[step.type].at(step.backward, step.stage), [&](const Instruction& i) {
    const auto* const product = i.as<Matmul>();
    const auto [begin, end] = plan.range(step, i.domain);
    if (product == nullptr || begin == end) return;
    sum_.products += 1;
    Bounds bounds;
    for (std::size_t k = 0; k < product->factors.size(); ++k) {
      const Factor& factor = product->factors[k];
      double columns = 0;
      for (const std::int32_t out : factor.outs) columns += i.out[out].width;
      const PlacedWeight* const placed = placement_.find(factor.weight);
      if (!step.one_worker() && placed != nullptr && placed->units() > 0)
        columns *= static_cast<double>(most_units(*placed)) / placed->units();
      const Bounds factor_bounds = bounds_of_product(end - begin, i.in[k].width, columns);
      bounds.cache += factor_bounds.cache, bounds.fma += factor_bounds.fma;
    }
    (bounds.cache > bounds.fma ? sum_.cache_bound : sum_.fma_bound) += std::max(bounds.cache, bounds.fma);
  });
}

/// Shared evenly.
double CpuPredictor::outside_us(const Plan& plan, const Step& step) const {
  const double cores = step.one_worker() ? 1 : speed_.cores;
  std::vector<Product> products;
  list_products(program_, plan, step, products);
  double us = 0;
  for (const Product& p : products) {
    const bool gradient = p.kind == ProductKind::kWeightGradient;
    const Bounds bounds = bounds_of_product(p.rows, p.k, p.n / cores);
    const double written = double{sizeof(float)} * p.k * p.n / cores;
    us += std::max(bounds.fma, gradient ? written / speed_.gb_s(written) / 1e3 : bounds.cache);
  }
  return us;
}

double CpuPredictor::update_us(const Plan& plan) const {
  if (!program_.options.training) return 0;
  double us = 0;
  for (std::size_t p = 0; p < program_.parameters.size(); ++p) {
    const ParameterInfo& parameter = program_.parameters[p];
    const auto size = static_cast<double>(parameter.shape.size());
    const double numbers = parameter.table ? size / parameter.shape.dims[0] * plan.touched[p].count : size;
    const double bytes = update_passes(placement_.target) * double{sizeof(float)} * numbers / speed_.cores;
    if (bytes > 0) us += bytes / speed_.gb_s(bytes) / 1e3;
  }
  return us;
}

/// Entries that wait for others, or where all meet before and after; F, ∂F and the update begin and end with all.
double CpuPredictor::meetings_of(const Plan& plan) {
  if (speed_.cores == 1) return 0;
  writer_.make(plan, script_);
  double meetings = program_.options.training ? 6 : 2;
  for (const ScriptEntry& entry : script_.entries)
    meetings += entry.share == Share::kTogether ? 2 : entry.waits.count > 0 ? 1 : 0;
  return meetings;
}

}  // namespace cavs
