#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cavs/trainer.h"

namespace cavs::cli {

/// A bar of 24 cells, of which this share is filled.
std::string progress_bar(double share);

/// Whether standard error is a terminal on which a line can be erased, and --quiet was not given.
bool can_draw_progress();

/// Shows on standard error how far training is: a bar that is redrawn where that is a terminal, a line every ten
/// seconds elsewhere.
class Progress {
 public:
  /// `steps_done`: before this run, by a checkpoint.
  Progress(std::int64_t steps_per_epoch, std::int64_t epochs, std::int64_t steps_done);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const TrainStep& step);
  void end_epoch();
  /// Removes the bar, before anything else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now);

  std::int64_t steps_per_epoch_, epochs_, done_, first_;
  bool terminal_, shown_ = false;
  Clock::time_point start_, last_shown_;
  std::int64_t samples_ = 0, labels_ = 0;
  double loss_sum_ = 0;  // of the epoch so far, as labels_
};

}  // namespace cavs::cli
