#include "measure/products.h"

#include <algorithm>

#include "schedule/resolve_policy.h"
#include "schedule/schedule.h"

namespace cavs {

namespace {

/// A linear cross-entropy multiplies tile by tile.
void add_tiles(const TypeProgram& type, const Instruction& i, std::int32_t rows, std::vector<Product>& products) {
  const std::int32_t k = i.in[0].width, n = type.tensors[i.tile.id].width, max = type.tensors[i.tile.id].max_rows;
  for (; rows > 0; rows -= max) {
    const std::int32_t tile = std::min(rows, max);
    products.push_back({InstructionKind::kMatmul, i.parameter, tile, k, n});
    if (i.dx >= 0) products.push_back({InstructionKind::kMatmulTransposed, i.parameter, tile, n, k});
    if (i.dw >= 0) products.push_back({InstructionKind::kWeightGradient, -1, tile, k, n});
  }
}

}  // namespace

std::vector<Product> list_products(const Program& program, const Plan& plan) {
  std::vector<Product> products;
  for (const Step& step : plan.steps) {
    const TypeProgram& type = program.types[step.type];
    each_instruction(type.at(step.backward, step.stage), [&](const Instruction& i) {
      const std::int32_t* range = plan.rows.data() + step.ranges.begin + 2 * i.domain;
      const std::int32_t rows = range[1] - range[0];
      if (rows == 0) return;
      if (i.kind == InstructionKind::kMatmul || i.kind == InstructionKind::kMatmulTransposed)
        for (std::size_t k = 0; k < i.factors.size(); ++k)
          for (std::size_t p = 0; p < i.factors[k].outs.size(); ++p)
            products.push_back(
                {i.kind, i.factors[k].parameters[p], rows, i.in[k].width, i.out[i.factors[k].outs[p]].width});
      if (i.kind == InstructionKind::kWeightGradient)
        products.push_back(
            {i.kind, -1, rows * i.matrix_rows, i.in[0].width / i.matrix_rows, i.in[1].width / i.matrix_rows});
      if (i.kind == InstructionKind::kLinearCrossEntropy) add_tiles(type, i, rows, products);
    });
  }
  return products;
}

std::vector<std::vector<Product>> products_of_epoch(const Program& program, const GraphSet& data, int batch_size,
                                                    const SessionOptions& session) {
  const BoundGraphs bound(program, data);
  const auto policy = resolve_policy(session.policy, session.learned.get(), program);
  Minibatch minibatch;
  Scheduler scheduler;
  Schedule schedule;
  Planner planner(program);
  Plan plan;
  std::vector<std::vector<Product>> epoch;
  for (std::int64_t first = 0; first < data.size(); first += batch_size) {
    minibatch.clear(bound);
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(first + batch_size, data.size()));
    for (auto s = static_cast<std::int32_t>(first); s < end; ++s) minibatch.add(s);
    make_schedule(minibatch, *policy, scheduler, schedule);
    planner.make(minibatch, schedule, plan);
    epoch.push_back(list_products(program, plan));
  }
  return epoch;
}

}  // namespace cavs
