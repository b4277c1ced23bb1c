#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

#include "cavs/trainer.h"
#include "support/process.h"

namespace cavs::inline v0_1 {

/// The state that a PendingStep shares with its trainer.
struct PendingStep::State {
  // Ready when the thread has released the task, so that an error is not freed while another thread reads it.
  std::shared_future<void> finished;
  std::shared_future<TrainStep> result;
  std::optional<double> stale_loss;
  std::atomic<bool> told{false};  // true if a caller has received the result or the error
  HomeProcess home;
};

/// Runs steps on a separate thread, one at a time. The thread starts with the first step. In a forked process, which
/// does not have the thread, start() and settle() throw UserError.
class StepThread {
 public:
  StepThread();
  /// Waits for the running step.
  ~StepThread();

  /// Starts a step. No step may be running: call settle() first.
  PendingStep start(std::packaged_task<TrainStep()> step, std::optional<double> stale_loss);
  /// Waits until no step runs. @throws the error of the last step, unless a caller has received it.
  void settle();

 private:
  struct Worker;

  std::shared_ptr<PendingStep::State> last_;
  std::unique_ptr<Worker> worker_;  // null before the first step
};

}  // namespace cavs::inline v0_1
