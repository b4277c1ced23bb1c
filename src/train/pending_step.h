#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "cavs/trainer.h"

namespace cavs {

/// What a handle shares with its trainer.
struct PendingStep::State {
  std::shared_future<void> finished;  // the thread has let go of the result, so that who waits frees its error
  std::shared_future<TrainStep> result;
  std::optional<double> stale_loss;
  std::atomic<bool> told{false};  // somebody has been thrown its error
};

/// Runs steps on a thread of its own, one at a time. The thread begins with the first.
class StepThread {
 public:
  /// Ends the step that runs.
  ~StepThread();

  /// Nothing runs: settle() has returned.
  PendingStep start(std::packaged_task<TrainStep()> step, std::optional<double> stale_loss);
  /// Returns when nothing runs. @throws what ended the last step, unless somebody was told.
  void settle();

 private:
  void work(const std::stop_token& stop);

  std::shared_ptr<PendingStep::State> last_;
  std::mutex mutex_;  // of given_
  std::condition_variable_any was_given_;
  std::packaged_task<TrainStep()> given_;
  std::promise<void> finished_;
  std::jthread thread_;
};

}  // namespace cavs
