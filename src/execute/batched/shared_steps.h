#pragma once

#include <atomic>
#include <cstdint>

#include "execute/batched/instruction_runner.h"
#include "execute/team.h"

namespace cavs::inline v0_1 {

/// Selects steps of a plan: F, ∂F, or F and then ∂F.
enum class Directions : std::uint8_t { kForward, kBackward, kBoth };

/// Takes the workers through the steps of a plan: the team shares every instruction of a step, and all wait between
/// steps; small steps are one worker's. While worker 0 runs small tasks, idle workers take chunks of lazy steps (Cavs,
/// section 3.4). Whoever runs a chunk, and whenever, its rows are computed alone, so that no bit depends on it.
class SharedSteps {
 public:
  /// All of it outlives the object.
  SharedSteps(const Program& program, InstructionRunner& instructions, const Workers& workers, Team& team)
      : program_(program), instructions_(instructions), workers_(workers), team_(team) {}

  /// Before F. One thread.
  void open(const Execution& run);
  /// After F: counts the rows that were streamed. One thread.
  void close(Execution& run) const;
  /// Called by every worker.
  void run(Execution& run, Worker& worker, Directions directions);

 private:
  void run_pass(Worker& worker, bool backward);
  void run_step(Worker& worker, const WorkPart& who);
  /// Runs the next chunk whose rows are there; false if there is none yet.
  bool run_chunk(Worker& worker);
  /// The first instruction of the worker's step that has rows left, and where they begin (StepRows::begins). No chunk
  /// is taken any more.
  std::int32_t skip_streamed(Worker& worker) const;

  const Program& program_;
  InstructionRunner& instructions_;
  const Workers& workers_;
  Team& team_;
  alignas(64) std::atomic<std::int32_t> done_{0};   // steps of the plan, by worker 0
  alignas(64) std::atomic<std::int32_t> chunk_{0};  // the next of TeamPlan::chunks
};

}  // namespace cavs::inline v0_1
