#include "execute/batched/shared_steps.h"

#include <algorithm>

namespace cavs::inline v0_1 {

/// Grows the scratch memory of all workers to the same size, since any worker may run any chunk of rows. In the steady
/// state no worker allocates then.
void SharedSteps::open(const Execution& run) {
  done_ = 0;
  chunk_ = 0;
  if (run.team.chunks.empty()) return;
  std::size_t scratch = 0, tiles = 0;
  for (const auto& worker : workers_) {
    scratch = std::max(scratch, worker->scratch.size());
    tiles = std::max(tiles, worker->tile_memory.size());
  }
  for (const auto& worker : workers_) {
    worker->scratch.floats(scratch);
    worker->tile_memory.floats(tiles);
  }
}

void SharedSteps::close(Execution& run) const {
  run.streamed_rows = 0;
  for (std::int32_t k = 0; k < chunk_; ++k) {
    const RowRange rows = run.team.vertices(run.team.chunks[k]);
    run.streamed_rows += rows.end - rows.begin;
  }
}

bool SharedSteps::run_chunk(Worker& worker) {
  const TeamPlan& team = worker.run->team;
  const auto& chunks = team.chunks;
  const auto count = static_cast<std::int32_t>(chunks.size());
  std::int32_t k = chunk_.load(std::memory_order_relaxed);
  do {
    if (k == count || chunks[k].after > done_.load(std::memory_order_acquire)) return false;
  } while (!chunk_.compare_exchange_weak(k, k + 1, std::memory_order_relaxed));
  worker.enter(worker.plan().steps[chunks[k].step], program_);
  worker.run_over(team.ranges.data() + chunks[k].ranges.begin);
  const Code& code = worker.program->at(false, Stage::kLazy);
  const std::int32_t by_rows = worker.program->cost_at(false, Stage::kLazy).by_rows;
  for (std::int32_t i = 0; i < by_rows; ++i) instructions_.run(worker, worker.alone(), code[i]);
  return true;
}

std::int32_t SharedSteps::skip_streamed(Worker& worker) const {
  const Step& step = *worker.step;
  const TeamPlan& team = worker.run->team;
  const auto& chunks = team.chunks;
  const std::int32_t taken = chunk_.load(std::memory_order_relaxed);
  if (taken == 0 || step.backward || step.stage != Stage::kLazy) return 0;
  const auto of_type = [&](const Chunk& chunk) { return &worker.plan().steps[chunk.step] == &step; };
  const auto left = std::find_if(chunks.begin() + taken, chunks.end(), of_type);
  if (left != chunks.end()) worker.ranges.begins = team.ranges.data() + left->ranges.begin;
  const bool streams = left != chunks.end() || std::any_of(chunks.begin(), chunks.begin() + taken, of_type);
  return streams && left == chunks.end() ? worker.program->cost_at(false, Stage::kLazy).by_rows : 0;
}

void SharedSteps::run(Execution& run, Worker& worker, Directions directions) {
  if (directions != Directions::kBackward) run_pass(worker, false);
  if (directions == Directions::kBoth) {
    team_.barrier(worker.number);
    if (worker.number == 0) run.forward_end = std::chrono::steady_clock::now();
  }
  if (directions != Directions::kForward) run_pass(worker, true);
}

void SharedSteps::run_pass(Worker& worker, bool backward) {
  const auto& steps = worker.plan().steps;
  const TeamPlan& team = worker.run->team;
  const int number = worker.number;
  const auto chunk = [&] { return run_chunk(worker); };
  const std::function<bool()> none, meanwhile = std::ref(chunk);
  const bool streaming = !backward && !team.chunks.empty();
  const auto is_small_task = [&](std::size_t s) {
    return team.shares[s].one_worker() && steps[s].stage == Stage::kTask;
  };
  std::size_t last = steps.size();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    const StepShare& share = team.shares[s];
    if (step.backward != backward) continue;
    const bool ends_stream = streaming && step.stage == Stage::kLazy;
    if (last < s && (ends_stream || share.waits || !team.shares[last].one_worker() || !share.one_worker()))
      team_.barrier(number, streaming && number != 0 && is_small_task(last) ? meanwhile : none);
    last = s;
    if (share.one_worker() && number != share.worker && team_.size() > 1) continue;
    worker.enter(step, program_);
    run_step(worker, share.one_worker() ? worker.alone() : worker.shared());
    if (streaming && is_small_task(s)) done_.store(static_cast<std::int32_t>(s) + 1, std::memory_order_release);
  }
}

void SharedSteps::run_step(Worker& worker, const WorkPart& work) {
  const Step& step = *worker.step;
  const Code& code = worker.program->at(step.backward, step.stage);
  const std::int32_t by_rows = worker.program->cost_at(step.backward, step.stage).by_rows;
  const StepRows all = worker.ranges;
  for (std::int32_t k = skip_streamed(worker); k < static_cast<std::int32_t>(code.size()); ++k) {
    if (k == by_rows) worker.ranges = all;
    if (code[k].barrier && work.parts > 1) worker.wait();
    instructions_.run(worker, work, code[k]);
    if (GradientProgress* const progress = worker.run->progress; progress != nullptr && step.backward)
      each_dense_gradient(code[k], [progress](std::size_t p) { progress->count(p); });
  }
}

}  // namespace cavs::inline v0_1
