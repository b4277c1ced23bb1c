#pragma once

#include <chrono>
#include <cstdint>

namespace cavs::cli {

/// Draws a progress bar of samples on standard error, if that is a terminal.
class SampleProgress {
 public:
  SampleProgress();
  ~SampleProgress() { clear(); }
  SampleProgress(const SampleProgress&) = delete;
  SampleProgress& operator=(const SampleProgress&) = delete;

  /// Adds finished samples. `share` is the finished share of the data, from 0 to 1.
  void add(std::int64_t samples, double share);
  /// Erases the bar. Call it before anything else is printed on the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_, shown_ = false;
  Clock::time_point start_, last_shown_;
  std::int64_t samples_ = 0;
};

}  // namespace cavs::cli
