#include "train/pending_step.h"

#include <utility>

namespace cavs {

std::optional<double> PendingStep::stale_loss() const { return state_->stale_loss; }

bool PendingStep::done() const {
  return state_->finished.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

TrainStep PendingStep::wait() const {
  state_->finished.wait();
  state_->told = true;
  return state_->result.get();
}

StepThread::~StepThread() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

PendingStep StepThread::start(std::packaged_task<TrainStep()> step, std::optional<double> stale_loss) {
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  auto state = std::make_shared<PendingStep::State>();
  std::promise<void> finished;
  state->finished = finished.get_future().share();
  state->result = step.get_future().share();
  state->stale_loss = stale_loss;
  {
    const std::lock_guard lock(mutex_);
    given_ = std::move(step), finished_ = std::move(finished);
  }
  last_ = state;
  was_given_.notify_one();
  return PendingStep(std::move(state));
}

void StepThread::settle() {
  const std::shared_ptr<PendingStep::State> last = std::exchange(last_, nullptr);
  if (last == nullptr) return;
  last->finished.wait();
  if (!last->told.exchange(true)) last->result.get();
}

/// A step that was given is done even where the end has been asked for: somebody may wait for it.
void StepThread::work(const std::stop_token& stop) {
  for (;;) {
    std::packaged_task<TrainStep()> step;
    std::promise<void> finished;
    {
      std::unique_lock lock(mutex_);
      was_given_.wait(lock, stop, [this] { return given_.valid(); });
      if (!given_.valid()) return;
      step = std::exchange(given_, {}), finished = std::move(finished_);
    }
    step();
    step = {};
    finished.set_value();
  }
}

}  // namespace cavs
