#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// A bar of 24 cells, of which this share is filled.
std::string progress_bar(double share);

/// Where progress is shown.
struct ProgressOutput {
  /// Shows a text in place of the one that it has shown before; an empty one removes it. Null: lines are written.
  std::function<void(const std::string&)> draw = nullptr;
  std::function<void(const std::string&)> line = nullptr;
};

/// Shows how far training is: a bar that is redrawn, at most ten times a second, or a line every ten seconds.
class Progress {
 public:
  /// `steps_done`: before this run, by a checkpoint.
  Progress(std::int64_t steps_per_epoch, std::int64_t epochs, std::int64_t steps_done, ProgressOutput output);
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
  ProgressOutput output_;
  bool shown_ = false;
  Clock::time_point start_, last_shown_;
  std::int64_t samples_ = 0, labels_ = 0;
  double loss_sum_ = 0;  // of the epoch so far, as labels_
};

}  // namespace cavs::inline v0_1
