#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "backend/cuda/device.h"

namespace cavs::cuda {

/// Milliseconds. A pass is what the host launches between two waits.
struct PassTimes {
  double launch = 0;  // the host took to launch
  double wait = 0;    // the host waited for the GPU
  double gpu = 0;     // by the GPU's clock, from the first launch to the end of the last
  double idle = 0;    // by the same, since the pass before: the host was late
};

/// The passes of an engine, which follow each other on one stream.
struct Timeline {
  std::int64_t begun = 0;
  std::shared_ptr<const Event> end;                 // of the one that was launched last
  std::chrono::steady_clock::time_point last_wait;  // when the host has seen one end
};

/// Measures the passes of a run, one after the other; another run's may begin before they have ended.
class PassTimer {
 public:
  /// @param asks_gpu  whether to measure times of the GPU, which costs some calls of its driver
  PassTimer(const DeviceRef& device, Timeline& timeline, bool asks_gpu);

  void begin(const Stream& stream);
  /// After the last launch.
  void end(const Stream& stream);
  /// Once; nothing where nothing is under way.
  void wait();
  /// True if a pass was begun since.
  bool is_overtaken() const { return number_ != timeline_.begun; }
  /// Time of the host, since the pass began, or since the one before it had ended.
  double seconds() const;
  /// Sums since clear().
  const PassTimes& times() const { return times_; }
  void clear() { times_ = {}; }

 private:
  Timeline& timeline_;
  const bool asks_gpu_;
  Event begin_;
  // Of two passes in turn: a run's next pass may begin before the other run's in between has ended, which asks for
  // this.
  std::shared_ptr<Event> end_, next_end_;
  std::shared_ptr<const Event> before_;
  std::chrono::steady_clock::time_point start_;
  std::int64_t number_ = 0;
  bool is_under_way_ = false;  // launched, and nobody has waited
  PassTimes times_;
};

}  // namespace cavs::cuda
