#include "execute/cuda/pass_timer.h"

#include <algorithm>
#include <utility>

namespace cavs::cuda {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

}  // namespace

PassTimer::PassTimer(const DeviceRef& device, Timeline& timeline, bool asks_gpu)
    : timeline_(timeline),
      asks_gpu_(asks_gpu),
      begin_(device),
      end_(std::make_shared<Event>(device)),
      next_end_(std::make_shared<Event>(device)) {}

void PassTimer::begin(const Stream& stream) {
  start_ = Clock::now();
  number_ = ++timeline_.begun;
  if (asks_gpu_) stream.record(begin_);
}

void PassTimer::end(const Stream& stream) {
  std::swap(end_, next_end_);
  stream.record(*end_);
  before_ = std::exchange(timeline_.end, end_);
  times_.launch += milliseconds(Clock::now() - start_);
  is_under_way_ = true;
}

void PassTimer::wait() {
  if (!std::exchange(is_under_way_, false)) return;
  const Clock::time_point start = Clock::now();
  end_->synchronise();
  timeline_.last_wait = Clock::now();
  times_.wait += milliseconds(timeline_.last_wait - start);
  if (!asks_gpu_) return;
  times_.gpu += end_->milliseconds_since(begin_);
  if (before_ != nullptr) times_.idle += std::max(0.0, begin_.milliseconds_since(*before_));
  before_ = nullptr;
}

double PassTimer::seconds() const { return milliseconds(Clock::now() - std::max(start_, timeline_.last_wait)) / 1e3; }

}  // namespace cavs::cuda
