#pragma once

#include <atomic>
#include <cstdint>

#include "execute/batched/instruction_runner.h"
#include "execute/team.h"

namespace cavs::inline v0_1 {

/// Selects steps of a plan: F, ∂F, or F and then ∂F.
enum class Directions : std::uint8_t { kForward, kBackward, kBoth };

/// Runs the steps of a plan. The team shares the instructions of a large step, and all workers wait between steps; one
/// worker runs a small step. While worker 0 runs small tasks, idle workers run chunks (blocks of rows) of lazy steps
/// (Cavs, section 3.4). The rows of a chunk are computed independently, so results are bit-identical whichever worker
/// runs the chunk, and when.
class SharedSteps {
 public:
  /// All arguments must outlive the object.
  SharedSteps(const Program& program, InstructionRunner& instructions, const Workers& workers, Team& team)
      : program_(program), instructions_(instructions), workers_(workers), team_(team) {}

  /// Called before F, on one thread.
  void open(const Execution& run);
  /// Stores the number of streamed rows (rows in chunks) in `run`. Called after F, on one thread.
  void close(Execution& run) const;
  /// Runs the worker's part of the steps. Called by every worker.
  void run(Execution& run, Worker& worker, Directions directions);

 private:
  void run_pass(Worker& worker, bool backward);
  void run_step(Worker& worker, const WorkPart& work);
  /// Runs the next chunk if its rows are ready. Returns false if they are not.
  bool run_chunk(Worker& worker);
  /// Returns the first instruction of the worker's step that has rows left, and sets where these rows begin
  /// (StepRows::begins). Before: no more chunks will be run.
  std::int32_t skip_streamed(Worker& worker) const;

  const Program& program_;
  InstructionRunner& instructions_;
  const Workers& workers_;
  Team& team_;
  alignas(64) std::atomic<std::int32_t> done_{0};   // number of steps of the plan that worker 0 has done
  alignas(64) std::atomic<std::int32_t> chunk_{0};  // number of the next chunk
};

}  // namespace cavs::inline v0_1
