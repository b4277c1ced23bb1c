#include "execute/batched/streaming.h"

#include <algorithm>

namespace cavs {

/// Any worker may take any chunk, so the scratch of all grows to the same size: in the steady state nobody allocates.
void Stream::open(const Execution& run, const Workers& workers) {
  steps_ = 0, chunk_ = 0;
  if (run.team.chunks.empty()) return;
  std::size_t scratch = 0, tiles = 0;
  for (const auto& worker : workers) {
    scratch = std::max(scratch, worker->scratch.size());
    tiles = std::max(tiles, worker->tile_memory.size());
  }
  for (const auto& worker : workers) worker->scratch.floats(scratch), worker->tile_memory.floats(tiles);
}

void Stream::close(Execution& run) const {
  run.streamed_rows = 0;
  for (std::int32_t k = 0; k < chunk_; ++k) {
    const RowRange rows = run.team.vertices(run.team.chunks[k]);
    run.streamed_rows += rows.end - rows.begin;
  }
}

bool Stream::run_chunk(Worker& worker) {
  const TeamPlan& team = worker.run->team;
  const auto& chunks = team.chunks;
  const auto count = static_cast<std::int32_t>(chunks.size());
  std::int32_t k = chunk_.load(std::memory_order_relaxed);
  do {
    if (k == count || chunks[k].after > steps_.load(std::memory_order_acquire)) return false;
  } while (!chunk_.compare_exchange_weak(k, k + 1, std::memory_order_relaxed));
  worker.enter(worker.plan().steps[chunks[k].step], program_);
  worker.run_over(team.ranges.data() + chunks[k].ranges.begin);
  const Code& code = worker.program->at(false, Stage::kLazy);
  const std::int32_t by_rows = worker.program->cost_at(false, Stage::kLazy).by_rows;
  for (std::int32_t i = 0; i < by_rows; ++i) instructions_.run(worker, worker.alone(), code[i]);
  return true;
}

std::int32_t Stream::skip_streamed(Worker& worker) const {
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

}  // namespace cavs
