#include "train/pending_step.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "support/process.h"

namespace cavs::inline v0_1 {

std::optional<double> PendingStep::stale_loss() const { return state_->stale_loss; }

bool PendingStep::done() const {
  return state_->finished.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

TrainStep PendingStep::wait() const {
  if (!done()) state_->home.expect_here("a step that Trainer::start began");
  state_->finished.wait();
  state_->told = true;
  return state_->result.get();
}

struct StepThread::Worker {
  struct Work {
    std::packaged_task<TrainStep()> step;
    std::promise<void> finished;
  };

  void give(Work work) {
    {
      const std::lock_guard lock(mutex);
      given = std::move(work);
    }
    was_given.notify_one();
  }

  /// The thread's loop. A step that was given before a request to stop still runs, because a caller may wait for it.
  /// Outside the step nothing is allocated, because an exception there would end the process.
  void work(const std::stop_token& stop) {
    for (;;) {
      std::optional<Work> now;
      {
        std::unique_lock lock(mutex);
        was_given.wait(lock, stop, [this] { return given.has_value(); });
        if (!given) return;
        now = std::exchange(given, std::nullopt);
      }
      now->step();
      now->step = {};
      now->finished.set_value();
    }
  }

  HomeProcess home;
  std::mutex mutex;  // protects `given`
  std::condition_variable_any was_given;
  std::optional<Work> given;                                                 // the step to run next
  std::jthread thread{[this](const std::stop_token& stop) { work(stop); }};  // last member, so that it ends first
};

StepThread::StepThread() = default;
StepThread::~StepThread() = default;

PendingStep StepThread::start(std::packaged_task<TrainStep()> step, std::optional<double> stale_loss) {
  if (worker_ == nullptr) worker_ = std::make_unique<Worker>();
  auto state = std::make_shared<PendingStep::State>();
  std::promise<void> finished;
  state->finished = finished.get_future().share();
  state->result = step.get_future().share();
  state->stale_loss = stale_loss;
  worker_->give({std::move(step), std::move(finished)});
  last_ = state;
  return PendingStep(std::move(state));
}

void StepThread::settle() {
  if (worker_ != nullptr) worker_->home.expect_here("a trainer whose steps were begun with start()");
  const std::shared_ptr<PendingStep::State> last = std::exchange(last_, nullptr);
  if (last == nullptr) return;
  last->finished.wait();
  if (!last->told.exchange(true)) last->result.get();
}

}  // namespace cavs::inline v0_1
