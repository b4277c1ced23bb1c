#pragma once

#include <array>
#include <chrono>

namespace cavs {

/// Finds out whether a caller is faster with its team or alone. Alone it can be where another program takes a worker's
/// processor, so that every wait for it lasts a time slice of the system, and where cores are far from each other and
/// the work is small. Both are measured: most runs are done in the way that was faster; every now and then a few are
/// done in the other one, so rarely that what these lose is a few percent of the time. Pure: time is given.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Whether the next run is to be done alone.
  bool is_alone(Time now);
  /// What a run took.
  /// @param work     in whatever unit all runs are counted by; 0: it is not compared
  /// @param waiting  share of the time in which the caller waited for others, 0 to 1
  void add(double work, double seconds, double waiting, Time now);

 private:
  enum Way : int { kTogether, kAlone };
  /// Of the runs before, each weighing less than the one after it.
  struct Speed {
    int runs = 0;
    double seconds = 0, work = 0;
    void add(double more_work, double more_seconds);
    double seconds_each() const { return seconds / work; }
  };

  bool may_try(double waiting) const { return way_ == kAlone || waiting > kWorthATry; }
  void end_trial(Time now);

  static constexpr int kRuns = 4;                 // of a trial; the first brings caches up to date and is not counted
  static constexpr double kWorthATry = 0.3;       // of waiting: else the caller can't be faster alone
  static constexpr double kFaster = 0.9;          // of the team's time: what makes the caller go alone
  static constexpr double kShareOfTrials = 0.03;  // of the time, that they may lose
  static constexpr std::chrono::milliseconds kLeastPause{50};

  Way way_ = kTogether, current_ = kTogether;
  std::array<Speed, 2> speeds_;
  double waiting_ = 0;  // recently, of runs together
  int left_ = 0;        // runs of the trial at hand
  double lost_ = 0;     // seconds, by it
  Time next_{};         // the earliest trial
};

}  // namespace cavs
