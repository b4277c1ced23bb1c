#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "backend/cuda/device.h"

namespace cavs::cuda {

/// Times in milliseconds. A pass is all that the host launches between two waits.
struct PassTimes {
  double launch = 0;  // the host launched
  double wait = 0;    // the host waited for the GPU
  double gpu = 0;     // the GPU worked, by its clock: from the first launch to the end of the last
  double idle = 0;    // the GPU was idle before the pass, by its clock: the host was late
};

/// The passes of an engine. They follow each other on one stream.
struct Timeline {
  std::int64_t begun = 0;
  std::shared_ptr<const Event> end;                 // end of the pass that was launched last
  std::chrono::steady_clock::time_point last_wait;  // time at which the host last saw a pass end
};

/// Measures the passes of a run, one after the other. A pass of another run may begin before they have ended.
class PassTimer {
 public:
  /// @param asks_gpu  true to measure times of the GPU, which costs some driver calls
  PassTimer(const DeviceRef& device, Timeline& timeline, bool asks_gpu);

  void begin(const Stream& stream);
  /// Call this after the last launch.
  void end(const Stream& stream);
  /// Waits for the pass. Does nothing if there is none to wait for.
  void wait();
  /// True if a later pass has begun.
  bool is_overtaken() const { return number_ != timeline_.begun; }
  /// Host time since the pass began, or since the previous pass ended if that is later.
  double seconds() const;
  /// Sums since clear().
  const PassTimes& times() const { return times_; }
  void clear() { times_ = {}; }

 private:
  Timeline& timeline_;
  const bool asks_gpu_;
  Event begin_;
  // Ends of two passes in turn: a run's next pass may begin before a pass of the other run, which refers to the first
  // event, has ended.
  std::shared_ptr<Event> end_, next_end_;
  std::shared_ptr<const Event> before_;
  std::chrono::steady_clock::time_point start_;
  std::int64_t number_ = 0;
  bool is_under_way_ = false;  // launched and not waited for
  PassTimes times_;
};

}  // namespace cavs::cuda
