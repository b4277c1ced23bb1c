#pragma once

#include "execute/batched/step_driver.h"
#include "execute/batched/streaming.h"

namespace cavs {

/// The team shares every instruction of a step, and all wait between steps; small steps are one worker's.
class SharedSteps final : public StepDriver {
 public:
  explicit SharedSteps(const DriverContext& context)
      : program_(context.program),
        instructions_(context.instructions),
        workers_(context.workers),
        team_(context.team),
        stream_(program_, instructions_) {}

  void open(Execution& run) override { stream_.open(run, workers_); }
  void close(Execution& run) override { stream_.close(run); }
  void run(Worker& worker, Directions directions) override;
  void update(Worker& worker, UpdateShare& update, const std::function<bool()>& is_possible) override {
    take_part(update, team_, worker.number, is_possible);
  }
  bool streams() const override { return true; }

 private:
  void run_pass(Worker& worker, bool backward);
  void run_step(Worker& worker);

  const Program& program_;
  InstructionRunner& instructions_;
  const Workers& workers_;
  Team& team_;
  Stream stream_;
};

}  // namespace cavs
