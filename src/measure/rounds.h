#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "measure/benchmark.h"
#include "measure/stepper.h"

namespace cavs::inline v0_1 {

/// The clock of comparisons. For one thread it is processor time, which other programs lengthen less than wall time.
/// (Without other programs both are equal, because the work never waits.) For several threads it is wall time.
class WorkClock {
 public:
  explicit WorkClock(int threads) : one_thread_(threads == 1) {}
  /// Returns a clock of wall time, for any number of threads.
  static WorkClock wall() { return WorkClock(0); }

  /// Calls f. Returns the milliseconds that f took.
  template <typename F>
  double milliseconds_of(F&& f) const {
    const double start = now();
    f();
    return now() - start;
  }
  /// Returns the name of the clock: "processor" or "wall".
  std::string_view name() const { return one_thread_ ? "processor" : "wall"; }

 private:
  double now() const;

  bool one_thread_;
};

/// Times of the same pieces of work (the minibatches of an epoch), measured once per round.
///
/// The work is the same in every round, and other load on the machine (including its caches and clock) can only slow it
/// down. So the minimum time of a piece is nearest to its true cost, and the median shows the other load.
class RoundTimes {
 public:
  explicit RoundTimes(std::int64_t pieces) : times_(static_cast<std::size_t>(pieces)) {}

  void add(std::int64_t piece, double ms) { times_[static_cast<std::size_t>(piece)].push_back(ms); }
  std::int64_t pieces() const { return static_cast<std::int64_t>(times_.size()); }
  /// Returns the sum of the pieces' best times, in milliseconds per epoch. Each piece must have been measured at least
  /// once.
  double best() const;
  double median() const;

 private:
  std::vector<std::vector<double>> times_;
};

/// A stepper, and the times that its steps took in each epoch.
struct TimedStepper {
  std::unique_ptr<Stepper> stepper;
  WorkClock clock;
  RoundTimes times;

  void run_epoch() {
    for (std::int64_t i = 0; i < times.pieces(); ++i) times.add(i, clock.milliseconds_of([&] { stepper->step(); }));
  }
};

/// Calls `round` repeatedly, so that the compared variants take turns: options.epochs times, or at least three times
/// and until options.min_seconds have passed for each of the `contenders`. Returns the number of rounds.
std::int64_t run_rounds(const BenchmarkOptions& options, std::int64_t contenders, const std::function<void()>& round);

}  // namespace cavs::inline v0_1
