#include "plan/step_cost.h"

namespace cavs {

double flops_of(const CodeCost& cost, const Plan& plan, const Step& step) {
  double sum = 0;
  for (std::size_t d = 0; d < cost.flops.size(); ++d) {
    const RowRange rows = plan.range(step, static_cast<DomainId>(d));
    sum += cost.flops[d] * (rows.end - rows.begin);
  }
  return sum;
}

bool is_small(const CodeCost& cost, double flops, double factor) {
  return !cost.needs_team && flops < factor * kFlopsInAWait * cost.waits;
}

}  // namespace cavs
