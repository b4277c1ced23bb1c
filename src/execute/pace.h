#pragma once

#include <array>
#include <chrono>
#include <limits>

namespace cavs::inline v0_1 {

/// Finds out whether a caller is faster with its team or alone. It can be faster alone if another program takes a
/// worker's processor, so that each wait for the worker lasts a time slice of the system, or if cores are far apart and
/// the work is small. Pace does most runs in the way that was faster so far, and now and then a trial: a few runs in
/// the other way. Trials are so rare that they lose a few percent of the time, and less if the other way was much
/// slower. How much a first trial alone can lose is estimated from the time that workers wait for each other. Pace
/// reads no clock: callers pass the time.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// @param workers  number of workers of the team, at least 2
  explicit Pace(int workers) : workers_(workers) {}

  /// True if the next run should be done alone. May be called for several runs before the first of them is done.
  bool choose_alone(Time now);
  /// Records a run that choose_alone() has decided.
  /// @param work  amount of work, in a unit that all runs share
  /// @param waits  seconds that all workers together waited for each other
  void add(bool alone, double work, double seconds, double waits);
  /// Adds time to the last recorded run, in which the caller did work that workers of a team do while they wait.
  void add_rest(double seconds);

 private:
  enum Way : int { kCollective, kAlone };
  /// Sums over the runs of one way, each with a weight, which is smaller the older the run is.
  struct Speed {
    int runs = 0;  // number of runs, unweighted
    double weight = 0, seconds = 0, work = 0, waits = 0;
    void add(double more_work, double more_seconds, double more_waits);
    double seconds_each() const { return seconds / work; }
    double seconds_each_run() const { return seconds / weight; }
  };

  bool is_due(Time now) const;
  double expected_loss() const;
  void end_trial(Time now);

  static constexpr int kRuns = 8;                 // number of runs per trial; the first warms caches and is not counted
  static constexpr int kFewRuns = 3;              // number of counted runs after which a trial may end early
  static constexpr double kFaster = 0.98;         // fraction of the team's time below which the caller goes alone
  static constexpr double kMuchSlower = 1.3;      // ratio of times above which the tried way is much slower
  static constexpr double kShareOfTrials = 0.02;  // fraction of all time that trials may lose
  static constexpr double kSmallShare = 0.01;     // likewise, if the tried way was much slower
  static constexpr double kLeastPause = 0.02;     // smallest number of seconds between trials

  Way other() const { return static_cast<Way>(1 - way_); }
  double ratio_of_trial() const { return speeds_[other()].seconds_each() / speeds_[way_].seconds_each(); }

  int workers_;
  Way way_ = kCollective;
  std::array<Speed, 2> speeds_;
  Speed* last_ = nullptr;  // the speed that the last run was added to, or nullptr
  bool is_trial_ = false;
  int left_ = 0;                                            // number of runs left in the current trial
  double lost_ = 0;                                         // seconds that the current trial has lost so far
  Time since_{};                                            // time of the end of the last trial, or of the first run
  double pause_ = std::numeric_limits<double>::infinity();  // seconds from since_ to the next trial
};

}  // namespace cavs::inline v0_1
