// Streaming (Cavs, section 3.4): what of the lazy steps of F idle workers can do while one runs small tasks.

#include <algorithm>

#include "plan/plan.h"

namespace cavs {
namespace {

/// While there are chunks to do, a task that is one worker's costs the team nothing but the wait for it: of two workers
/// each does as much as with all shared, without the barriers. So larger tasks than else are.
constexpr double kSmallWhenStreaming = 2;

/// Of a chunk: short enough that the tasks' worker never waits long for another's.
constexpr double kChunkFlops = 65536;

}  // namespace

/// Whether it is a task whose worker may leave others idle, of a type that has work for them.
bool Planner::streams(const Step& step) const {
  return !step.backward && step.stage == Stage::kTask &&
         is_small(program_.types[step.type].cost_at(false, Stage::kTask), step.flops, kSmallWhenStreaming);
}

void Planner::plan_chunks() {
  if (streaming_ == Streaming::kOff || (streaming_ == Streaming::kAuto && !is_worth_streaming())) return;
  chunk_begin_.assign(program_.types.size(), 0);
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(plan_->steps.size()); ++s) {
    if (plan_->steps[s].backward || plan_->steps[s].stage != Stage::kTask) continue;
    cut_chunks(s);
    plan_->steps[s].worker = streams(plan_->steps[s]) ? 0 : Step::kTeam;
  }
  // The last chunks would be begun when the tasks end, and all would wait for one worker: the team shares them.
  double left = 0;  // of the tasks after step s
  auto s = static_cast<std::int32_t>(plan_->steps.size());
  for (auto chunk = plan_->chunks.rbegin(); chunk != plan_->chunks.rend() && left < 2 * kChunkFlops; ++chunk) {
    for (; s > chunk->after; --s) {
      const Step& step = plan_->steps[s - 1];
      if (streams(step)) left += step.flops;
    }
    if (left < 2 * kChunkFlops) chunk->after = Chunk::kNever;
  }
}

/// Training gained or lost by what else the machine did, so it is left to those who ask (docs/measurements/cpu-log.md).
bool Planner::is_worth_streaming() const {
  if (program_.options.training) return false;
  constexpr double kShare = 1.0 / 8;
  double all = 0, alone = 0, streamed = 0;
  for (const Step& step : plan_->steps) {
    if (step.backward) continue;
    all += step.flops;
    if (streams(step)) alone += step.flops;
    if (step.stage == Stage::kTask)
      streamed += program_.types[step.type].cost_at(false, Stage::kLazy).row_flops * rows_of(step, kVertexRows).count;
  }
  return alone >= kShare * all && streamed >= kShare * all;
}

/// Cuts chunks of the rows that the tasks have with this step, of as many rows as products need to be fast.
void Planner::cut_chunks(std::int32_t step) {
  constexpr std::int32_t kFewest = 8, kMost = 256;
  const std::int32_t type = plan_->steps[step].type;
  const CodeCost& cost = program_.types[type].cost_at(false, Stage::kLazy);
  if (cost.by_rows == 0) return;
  const auto rows =
      static_cast<std::int32_t>(std::clamp<double>(kChunkFlops / std::max(cost.row_flops, 1.0), kFewest, kMost));
  const Slice task = rows_of(plan_->steps[step], kVertexRows);
  const std::int32_t done = task.begin + task.count;
  std::int32_t& begin = chunk_begin_[type];
  while (begin < done && (done - begin >= rows || done == plan_->types[type].vertices)) {
    const std::int32_t end = std::min(begin + rows, done);
    plan_->chunks.push_back({{type, false, Stage::kLazy, plan_ranges(type, Stage::kLazy, begin, end)}, step + 1});
    begin = end;
  }
}

/// Rows of a domain that the step runs over: no part of a list, but a part of these rows.
Slice Planner::rows_of(const Step& step, DomainId domain) const {
  const std::int32_t* range = plan_->rows.data() + step.ranges.begin + 2 * domain;
  return {range[0], range[1] - range[0]};
}

}  // namespace cavs
