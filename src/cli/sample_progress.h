#pragma once

#include <chrono>
#include <cstdint>

namespace cavs::cli {

/// Shows on standard error, where that is a terminal, how many samples of a data set are done: a bar that is redrawn.
class SampleProgress {
 public:
  SampleProgress();
  ~SampleProgress() { clear(); }
  SampleProgress(const SampleProgress&) = delete;
  SampleProgress& operator=(const SampleProgress&) = delete;

  /// So many more are done; `share` of the data, from 0 to 1.
  void add(std::int64_t samples, double share);
  /// Removes the bar, before anything else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_, shown_ = false;
  Clock::time_point start_, last_shown_;
  std::int64_t samples_ = 0;
};

}  // namespace cavs::cli
