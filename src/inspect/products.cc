#include "inspect/products.h"

#include <algorithm>

#include "schedule/schedule.h"

namespace cavs {

std::vector<Product> list_products(const Program& program, const Plan& plan) {
  std::vector<Product> products;
  for (const Step& step : plan.steps)
    for (const Instruction& i : program.types[step.type].at(step.backward, step.stage)) {
      const std::int32_t* range = plan.rows.data() + step.ranges.begin + 2 * i.domain;
      const std::int32_t rows = range[1] - range[0];
      if (rows == 0) continue;
      if (i.kind == InstructionKind::kMatmul || i.kind == InstructionKind::kMatmulTransposed)
        products.push_back({i.kind, i.parameter, rows, i.in[0].width, i.out[0].width});
      if (i.kind == InstructionKind::kWeightGradient)
        products.push_back({i.kind, -1, rows, i.in[0].width, i.in[1].width});
    }
  return products;
}

std::vector<std::vector<Product>> products_of_epoch(const Program& program, const GraphSet& data, int batch_size,
                                                    std::string_view policy) {
  const BoundGraphs bound(program, data);
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
    make_schedule(minibatch, find_policy(policy), scheduler, schedule);
    planner.make(minibatch, schedule, plan);
    epoch.push_back(list_products(program, plan));
  }
  return epoch;
}

}  // namespace cavs
