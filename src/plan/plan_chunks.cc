#include <algorithm>

#include "plan/plan.h"

namespace cavs {

/// Cuts the lazy steps of F into chunks, each as soon as the tasks have its rows. One is short, so that the tasks'
/// worker never waits long for another's last one, and has the rows that products need to be fast.
void Planner::plan_chunks() {
  constexpr double kFlops = 262144;
  constexpr std::int32_t kFewest = 8, kMost = 256;
  if (streaming_ == Streaming::kOff || (streaming_ == Streaming::kAuto && !is_worth_streaming())) return;
  chunk_begin_.assign(program_.types.size(), 0);
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(plan_->steps.size()); ++s) {
    const Step step = plan_->steps[s];
    if (step.backward || step.stage != Stage::kTask) continue;
    const CodeCost& cost = program_.types[step.type].cost_at(false, Stage::kLazy);
    if (cost.by_rows == 0) continue;
    const double wanted = kFlops / std::max(cost.row_flops, 1.0);
    const auto rows = static_cast<std::int32_t>(std::clamp<double>(wanted, kFewest, kMost));
    const std::int32_t done = at(step.ranges)[2 * kVertexRows + 1];
    std::int32_t& begin = chunk_begin_[step.type];
    while (begin < done && (done - begin >= rows || done == plan_->types[step.type].vertices)) {
      const std::int32_t end = std::min(begin + rows, done);
      plan_->chunks.push_back({{step.type, false, Stage::kLazy, plan_ranges(step.type, begin, end)}, s + 1});
      begin = end;
    }
  }
}

bool Planner::is_worth_streaming() const { return true; }

}  // namespace cavs
