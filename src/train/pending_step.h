#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

#include "cavs/trainer.h"
#include "support/process.h"

namespace cavs::inline v0_1 {

/// What a handle shares with its trainer.
struct PendingStep::State {
  std::shared_future<void> finished;  // the thread has let go of the result, so that who waits frees its error
  std::shared_future<TrainStep> result;
  std::optional<double> stale_loss;
  std::atomic<bool> told{false};  // somebody has been thrown its error
  HomeProcess home;
};

/// Runs steps on a thread of its own, one at a time. The thread begins with the first. In a fork of the process, which
/// does not have the thread, start() and settle() throw UserError.
class StepThread {
 public:
  StepThread();
  /// Ends the step that runs.
  ~StepThread();

  /// Nothing runs: settle() has returned.
  PendingStep start(std::packaged_task<TrainStep()> step, std::optional<double> stale_loss);
  /// Returns when nothing runs. @throws what ended the last step, unless somebody was told.
  void settle();

 private:
  struct Worker;

  std::shared_ptr<PendingStep::State> last_;
  std::unique_ptr<Worker> worker_;  // null before the first step
};

}  // namespace cavs::inline v0_1
