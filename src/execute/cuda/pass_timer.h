#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "backend/cuda/device.h"

namespace cavs::cuda {

/// Times of passes in milliseconds. A pass is everything that the host launches before it waits.
struct PassTimes {
  double launch = 0;  // the host submitted launches
  double wait = 0;    // the host was waiting for the GPU
  double gpu = 0;     // the GPU was working, by its clock: from the first launch to the end of the last launch
  double idle = 0;    // the GPU was idle before the pass, by its clock, because the host was late
};

/// The passes of an engine, which follow each other on one stream.
struct Timeline {
  std::int64_t begun = 0;                           // number of passes that have begun
  std::shared_ptr<const Event> end;                 // end of the last pass that was launched
  std::chrono::steady_clock::time_point last_wait;  // time at which the host last found that a pass had ended
};

/// Measures the passes of a run, one after the other. A pass of another run may begin before they end.
class PassTimer {
 public:
  /// @param asks_gpu  true to measure the GPU's times, too, which costs some driver calls
  PassTimer(const DeviceRef& device, Timeline& timeline, bool asks_gpu);

  void begin(const Stream& stream);
  /// Call this after the last launch.
  void end(const Stream& stream);
  /// Waits for the end of the pass, if one has been launched and not waited for.
  void wait();
  /// True if a later pass has begun, of this or another run.
  bool is_overtaken() const { return number_ != timeline_.begun; }
  /// Returns the time since the pass began, or since the previous pass ended if that was later, by the host's clock.
  double seconds() const;
  /// Returns the sums since clear().
  const PassTimes& times() const { return times_; }
  void clear() { times_ = {}; }

 private:
  Timeline& timeline_;
  const bool asks_gpu_;
  Event begin_;
  // Events at the end of this pass, and of the next one. They are used in turn, because a pass of another run may still
  // refer to the end of this pass (before_) when the next one ends.
  std::shared_ptr<Event> end_, next_end_;
  std::shared_ptr<const Event> before_;          // end of the pass before this one; nullptr if there is none
  std::chrono::steady_clock::time_point start_;  // time at which the pass began
  std::int64_t number_ = 0;                      // Timeline::begun when the pass began
  bool is_under_way_ = false;                    // true if the pass has been launched and not waited for
  PassTimes times_;
};

}  // namespace cavs::cuda
