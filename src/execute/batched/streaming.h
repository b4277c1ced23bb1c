#pragma once

#include <atomic>
#include <cstdint>

#include "execute/batched/instruction_runner.h"

namespace cavs {

/// Chunks of lazy steps that idle workers take while worker 0 runs small tasks (Cavs, section 3.4). Whoever runs a
/// chunk, and whenever, its rows are computed alone, so that no bit depends on it.
class Stream {
 public:
  Stream(const Program& program, InstructionRunner& instructions) : program_(program), instructions_(instructions) {}

  /// Before a forward pass. One thread.
  void open(const Execution& run, const Workers& workers);
  /// After it: counts the rows that were streamed. One thread.
  void close(Execution& run) const;
  /// Steps of the plan are done. Worker 0.
  void publish(std::int32_t steps) { steps_.store(steps, std::memory_order_release); }
  /// Runs the next chunk whose rows are there; false if there is none yet.
  bool run_chunk(Worker& worker);
  /// The first instruction of the worker's step that has rows left, and where they begin (StepRows::begins). No chunk
  /// is taken any more.
  std::int32_t skip_streamed(Worker& worker) const;

 private:
  const Program& program_;
  InstructionRunner& instructions_;
  alignas(64) std::atomic<std::int32_t> steps_{0};  // that are done
  alignas(64) std::atomic<std::int32_t> chunk_{0};  // the next of TeamPlan::chunks
};

}  // namespace cavs
