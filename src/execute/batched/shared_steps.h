#pragma once

#include "execute/batched/instruction_runner.h"
#include "execute/batched/streaming.h"
#include "execute/team.h"

namespace cavs {

/// Selects steps of a plan: F, ∂F, or F and then ∂F.
enum class Directions : std::uint8_t { kForward, kBackward, kBoth };

/// Takes the workers through the steps of a plan: the team shares every instruction of a step, and all wait between
/// steps; small steps are one worker's.
class SharedSteps {
 public:
  /// All of it outlives the object.
  SharedSteps(const Program& program, InstructionRunner& instructions, const Workers& workers, Team& team)
      : program_(program),
        instructions_(instructions),
        workers_(workers),
        team_(team),
        stream_(program_, instructions_) {}

  /// Around F, by one thread.
  void open(Execution& run) { stream_.open(run, workers_); }
  void close(Execution& run) { stream_.close(run); }
  /// Called by every worker.
  void run(Execution& run, Worker& worker, Directions directions);

 private:
  void run_pass(Worker& worker, bool backward);
  void run_step(Worker& worker, const WorkPart& who);

  const Program& program_;
  InstructionRunner& instructions_;
  const Workers& workers_;
  Team& team_;
  Stream stream_;
};

}  // namespace cavs
