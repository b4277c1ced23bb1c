#include "plan/chunk_list.h"

#include <algorithm>

#include "plan/step_cost.h"

namespace cavs {
namespace {

/// While there are chunks to do, a task that is one worker's costs the team nothing but the wait for it: of two workers
/// each does as much as with all shared, without the barriers. So larger tasks than else are.
constexpr double kSmallWhenStreaming = 2;

/// Of a chunk: short enough that the tasks' worker never waits long for another's.
constexpr double kChunkFlops = 65536;

/// Whether it is a task whose worker may leave others idle.
bool leaves_idle(const Program& program, const Step& step) {
  return !step.backward && step.stage == Stage::kTask &&
         is_small(program.types[step.type].cost_at(false, Stage::kTask), step.flops, kSmallWhenStreaming);
}

/// Training gained or lost by what else the machine did, so it is left to those who ask (docs/measurements/cpu-log.md).
bool is_worth_it(const PlanDraft& draft) {
  const Program& program = draft.program;
  if (program.options.training) return false;
  constexpr double kShare = 1.0 / 8;
  double all = 0, alone = 0, streamed = 0;
  for (const Step& step : draft.plan.steps) {
    if (step.backward) continue;
    all += step.flops;
    if (leaves_idle(program, step)) alone += step.flops;
    if (step.stage != Stage::kTask) continue;
    const RowRange rows = draft.plan.range(step, kVertexRows);
    streamed += program.types[step.type].cost_at(false, Stage::kLazy).row_flops * (rows.end - rows.begin);
  }
  return alone >= kShare * all && streamed >= kShare * all;
}

/// The last chunks would be begun when the tasks end, and all would wait for one worker: the team shares them.
void leave_last_to_team(const Program& program, Plan& plan) {
  double left = 0;  // of the tasks after step s
  auto s = static_cast<std::int32_t>(plan.steps.size());
  for (auto chunk = plan.chunks.rbegin(); chunk != plan.chunks.rend() && left < 2 * kChunkFlops; ++chunk) {
    for (; s > chunk->after; --s)
      if (const Step& step = plan.steps[s - 1]; leaves_idle(program, step)) left += step.flops;
    if (left < 2 * kChunkFlops) chunk->after = Chunk::kNever;
  }
}

}  // namespace

void ChunkList::add_to(PlanDraft& draft) {
  if (streaming_ == Streaming::kOff || (streaming_ == Streaming::kAuto && !is_worth_it(draft))) return;
  auto& steps = draft.plan.steps;
  begin_.assign(draft.program.types.size(), 0);
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(steps.size()); ++s) {
    if (steps[s].backward || steps[s].stage != Stage::kTask) continue;
    cut(draft, s);
    steps[s].worker = leaves_idle(draft.program, steps[s]) ? 0 : Step::kTeam;
  }
  leave_last_to_team(draft.program, draft.plan);
}

/// Cuts chunks of the rows that the tasks have with this step, of as many rows as products need to be fast.
void ChunkList::cut(PlanDraft& draft, std::int32_t step) {
  constexpr std::int32_t kFewest = 8, kMost = 256;
  const std::int32_t type = draft.plan.steps[step].type;
  const CodeCost& cost = draft.program.types[type].cost_at(false, Stage::kLazy);
  if (cost.by_rows == 0) return;
  const auto rows =
      static_cast<std::int32_t>(std::clamp<double>(kChunkFlops / std::max(cost.row_flops, 1.0), kFewest, kMost));
  const std::int32_t done = draft.plan.range(draft.plan.steps[step], kVertexRows).end;
  std::int32_t& begin = begin_[type];
  while (begin < done && (done - begin >= rows || done == draft.plan.types[type].vertices)) {
    const std::int32_t end = std::min(begin + rows, done);
    Chunk& chunk = draft.plan.chunks.emplace_back(Chunk{{type, false, Stage::kLazy}, step + 1});
    ranges_.set(draft, chunk.step, {begin, end});
    begin = end;
  }
}

}  // namespace cavs
