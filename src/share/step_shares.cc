#include "share/step_shares.h"

namespace cavs {

bool is_small(const CodeCost& cost, double flops, double factor) {
  return !cost.needs_team && flops < factor * kFlopsInAWait * cost.waits;
}

void share_by_size(const Program& program, const Plan& plan, StepShares& shares) {
  shares.clear();
  for (const Step& step : plan.steps) {
    const CodeCost& cost = program.types[step.type].cost_at(step.backward, step.stage);
    shares.push_back({.worker = is_small(cost, step.flops) ? 0 : StepShare::kTeam});
  }
}

}  // namespace cavs
