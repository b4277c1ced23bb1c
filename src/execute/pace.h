#pragma once

#include <array>
#include <chrono>
#include <limits>

namespace cavs::inline v0_1 {

/// Finds out whether a caller is faster with its team or alone. Alone it can be where another program takes a worker's
/// processor, so that every wait for it lasts a time slice of the system, and where cores are far from each other and
/// the work is small. Both are measured: most runs are done in the way that was faster; every now and then a few are
/// done in the other one, so rarely that what these lose is a few percent of the time, and less where the other way
/// was much slower. What a first trial would lose is known from how long workers wait for each other: alone, the caller
/// needs at most the time in which they work. Pure: time is given.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// @param workers  of the team, at least 2
  explicit Pace(int workers) : workers_(workers) {}

  /// Whether a coming run is to be done alone. Runs may be chosen before those in front of them are done.
  bool choose_alone(Time now);
  /// What a run took that was chosen so.
  /// @param work  in whatever unit all runs are counted by
  /// @param waits  seconds that workers waited for each other, all of them together
  void add(bool alone, double work, double seconds, double waits);
  /// What the caller did after that run, before the next one, that a team does in its waits.
  void add_rest(double seconds);

 private:
  enum Way : int { kTogether, kAlone };
  /// Of the runs before, each weighing less than the one after it.
  struct Speed {
    int runs = 0;
    double weight = 0, seconds = 0, work = 0, waits = 0;
    void add(double more_work, double more_seconds, double more_waits);
    double seconds_each() const { return seconds / work; }
    double seconds_each_run() const { return seconds / weight; }
  };

  bool is_due(Time now) const;
  double expected_loss() const;
  void end_trial(Time now);

  static constexpr int kRuns = 8;                 // of a trial; the first brings caches up to date and is not counted
  static constexpr int kFewRuns = 3;              // that are counted
  static constexpr double kFaster = 0.98;         // of the team's time: what makes the caller go alone
  static constexpr double kMuchSlower = 1.3;      // of the time of the usual way
  static constexpr double kShareOfTrials = 0.02;  // of the time, that they may lose
  static constexpr double kSmallShare = 0.01;     // the same, after a trial that was much slower
  static constexpr double kLeastPause = 0.02;     // seconds

  Way other() const { return static_cast<Way>(1 - way_); }
  double ratio_of_trial() const { return speeds_[other()].seconds_each() / speeds_[way_].seconds_each(); }

  int workers_;
  Way way_ = kTogether;
  std::array<Speed, 2> speeds_;
  Speed* last_ = nullptr;  // to which the last run was added
  bool is_trial_ = false;
  int left_ = 0;                                            // runs of the trial at hand
  double lost_ = 0;                                         // seconds, by it
  Time since_{};                                            // the end of the last trial, or the first run
  double pause_ = std::numeric_limits<double>::infinity();  // seconds from then on, by what that trial lost
};

}  // namespace cavs::inline v0_1
