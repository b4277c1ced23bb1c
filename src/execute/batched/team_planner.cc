#include "execute/batched/team_planner.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

/// While chunks remain, a task is small up to this multiple of the usual threshold. A task on one worker then costs no
/// idle time, because the other workers run chunks.
constexpr double kSmallWhenStreaming = 2;

/// Approximate number of operations per chunk: so few that the worker of the tasks never waits long for a chunk.
constexpr double kChunkFlops = 65536;

bool is_task_of_f(const Step& step) { return !step.backward && step.stage == Stage::kTask; }

}  // namespace

TeamPlanner::TeamPlanner(const Program& program, Streaming streaming, int workers)
    : program_(program), streaming_(streaming), sharer_(program, workers), ranges_(program) {}

void TeamPlanner::make(const Minibatch& minibatch, const Schedule& schedule, const Plan& plan, TeamPlan& team) {
  team.chunks.clear();
  team.ranges.clear();
  const bool beside = sharer_.share(minibatch, schedule, plan, team.shares, streaming_ != Streaming::kOn);
  const bool streams = streaming_ == Streaming::kOn || (streaming_ == Streaming::kAuto && is_worth_it(plan));
  if (streams && !beside) add_chunks(plan, team);
}

/// True if one worker runs the step, a task of F, while the other workers run chunks.
bool TeamPlanner::leaves_idle(const Step& step) const {
  return is_task_of_f(step) &&
         is_small(program_.types[step.type].cost_at(false, Stage::kTask), step.flops, kSmallWhenStreaming);
}

/// True if streaming (chunks of lazy steps during tasks) probably saves time. In training that depends on other load of
/// the machine, so training streams only on request (docs/measurements/cpu-steps.md, "Streaming").
bool TeamPlanner::is_worth_it(const Plan& plan) const {
  if (program_.options.training) return false;
  constexpr double kShare = 1.0 / 8;
  double all = 0, alone = 0, streamed = 0;
  for (const Step& step : plan.steps) {
    if (step.backward) continue;
    all += step.flops;
    if (leaves_idle(step)) alone += step.flops;
    if (step.stage != Stage::kTask) continue;
    const RowRange rows = plan.range(step, kVertexRows);
    streamed += program_.types[step.type].cost_at(false, Stage::kLazy).row_flops * (rows.end - rows.begin);
  }
  return alone >= kShare * all && streamed >= kShare * all;
}

void TeamPlanner::add_chunks(const Plan& plan, TeamPlan& team) {
  const auto steps = static_cast<std::int32_t>(plan.steps.size());
  begin_.assign(program_.types.size(), 0);
  lazy_step_.resize(program_.types.size());
  for (std::int32_t s = 0; s < steps; ++s)
    if (!plan.steps[s].backward && plan.steps[s].stage == Stage::kLazy) lazy_step_[plan.steps[s].type] = s;
  for (std::int32_t s = 0; s < steps; ++s) {
    if (!is_task_of_f(plan.steps[s])) continue;
    cut(plan, s, team);
    team.shares[s].worker = leaves_idle(plan.steps[s]) ? 0 : StepShare::kTeam;
  }
  leave_last_to_team(plan, team);
}

/// Cuts the rows that tasks have computed before step `step` into chunks, each with enough rows for fast products.
void TeamPlanner::cut(const Plan& plan, std::int32_t step, TeamPlan& team) {
  constexpr std::int32_t kFewest = 8, kMost = 256;
  const std::int32_t type = plan.steps[step].type;
  const CodeCost& cost = program_.types[type].cost_at(false, Stage::kLazy);
  if (cost.by_rows == 0) return;
  const auto rows =
      static_cast<std::int32_t>(std::clamp<double>(kChunkFlops / std::max(cost.row_flops, 1.0), kFewest, kMost));
  const std::int32_t done = plan.range(plan.steps[step], kVertexRows).end;
  std::int32_t& begin = begin_[type];
  while (begin < done && (done - begin >= rows || done == plan.types[type].vertices)) {
    const std::int32_t end = std::min(begin + rows, done);
    const Slice ranges{static_cast<std::int32_t>(team.ranges.size()),
                       static_cast<std::int32_t>(StepRanges::count(plan, type))};
    team.ranges.resize(team.ranges.size() + static_cast<std::size_t>(ranges.count));
    ranges_.write(plan, type, Stage::kLazy, {begin, end}, team.ranges.data() + ranges.begin);
    team.chunks.push_back({lazy_step_[type], ranges, step + 1});
    begin = end;
  }
}

/// Leaves the last chunks to the whole team: they would begin when the tasks end, and the team would wait for a worker.
void TeamPlanner::leave_last_to_team(const Plan& plan, TeamPlan& team) const {
  double left = 0;  // flops of small tasks after step `s`
  auto s = static_cast<std::int32_t>(plan.steps.size());
  for (auto chunk = team.chunks.rbegin(); chunk != team.chunks.rend() && left < 2 * kChunkFlops; ++chunk) {
    for (; s > chunk->after; --s)
      if (const Step& step = plan.steps[s - 1]; leaves_idle(step)) left += step.flops;
    if (left < 2 * kChunkFlops) chunk->after = Chunk::kNever;
  }
}

}  // namespace cavs::inline v0_1
