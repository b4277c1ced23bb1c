// Chunks of lazy steps that idle workers take while worker 0 runs small tasks (Cavs, section 3.4). Whoever runs a
// chunk, and whenever, its rows are computed alone, so that no bit depends on it.

#include <algorithm>

#include "execute/batched/worker.h"

namespace cavs {

/// Any worker may take any chunk, so the scratch of all grows to the same size: in the steady state nobody allocates.
void Executor::open_stream(Execution& run) {
  stream_.steps = 0, stream_.chunk = 0;
  if (run.plan().chunks.empty()) return;
  std::size_t scratch = 0, tiles = 0;
  for (const auto& worker : workers_) {
    scratch = std::max(scratch, worker->scratch.size());
    tiles = std::max(tiles, worker->tile_memory.size());
  }
  for (const auto& worker : workers_) worker->scratch.floats(scratch), worker->tile_memory.floats(tiles);
}

void Executor::close_stream(Execution& run) const {
  run.streamed_rows = 0;
  const auto& chunks = run.plan().chunks;
  for (auto chunk = chunks.begin(); chunk != chunks.begin() + stream_.chunk; ++chunk) {
    const std::int32_t* range = run.plan().rows.data() + chunk->step.ranges.begin + 2 * kVertexRows;
    run.streamed_rows += range[1] - range[0];
  }
}

/// The next chunk whose rows are there; false if there is none yet.
bool Executor::run_chunk(Worker& worker) {
  const auto& chunks = worker.plan().chunks;
  const auto count = static_cast<std::int32_t>(chunks.size());
  std::int32_t k = stream_.chunk.load(std::memory_order_relaxed);
  do {
    if (k == count || chunks[k].after > stream_.steps.load(std::memory_order_acquire)) return false;
  } while (!stream_.chunk.compare_exchange_weak(k, k + 1, std::memory_order_relaxed));
  const int number = worker.number;
  worker.enter(chunks[k].step, *program_);
  worker.number = 0, worker.workers = 1;  // nothing of it is shared
  const Code& code = worker.program->at(false, Stage::kLazy);
  const std::int32_t by_rows = worker.program->cost_at(false, Stage::kLazy).by_rows;
  for (std::int32_t i = 0; i < by_rows; ++i) run_instruction(worker, code[i]);
  worker.number = number;
  return true;
}

/// The first instruction of the worker's step that has rows left, and where they begin. No chunk is taken any more.
std::int32_t Executor::skip_streamed(Worker& worker) {
  const Step& step = *worker.step;
  const auto& chunks = worker.plan().chunks;
  const std::int32_t taken = stream_.chunk.load(std::memory_order_relaxed);
  if (taken == 0 || step.backward || step.stage != Stage::kLazy) return 0;
  const auto of_type = [&](const Chunk& chunk) { return chunk.step.type == step.type; };
  const auto left = std::find_if(chunks.begin() + taken, chunks.end(), of_type);
  if (left != chunks.end()) worker.from = &left->step;
  const bool streams = left != chunks.end() || std::any_of(chunks.begin(), chunks.begin() + taken, of_type);
  return streams && left == chunks.end() ? worker.program->cost_at(false, Stage::kLazy).by_rows : 0;
}

}  // namespace cavs
