#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "measure/benchmark.h"
#include "measure/stepper.h"

namespace cavs::inline v0_1 {

/// Measures what is compared. One thread: by its processor time, which other programs do not lengthen as they do the
/// time that passes (where nothing else runs the two agree: the work neither sleeps nor waits). A team: by the time
/// that passes.
class WorkClock {
 public:
  explicit WorkClock(int threads) : one_thread_(threads == 1) {}
  /// The time that passes.
  static WorkClock wall() { return WorkClock(0); }

  /// Milliseconds that f takes.
  template <typename F>
  double milliseconds_of(F&& f) const {
    const double start = now();
    f();
    return now() - start;
  }
  /// "processor" or "wall".
  std::string_view name() const { return one_thread_ ? "processor" : "wall"; }

 private:
  double now() const;

  bool one_thread_;
};

/// Times of the same pieces of work (the minibatches of an epoch), taken once a round.
///
/// The work is the same every round, and whatever else the machine does (to its caches and its clock, too) can only
/// slow it down, so the least time of a piece is nearest to what it costs by itself; the median beside it tells how
/// much the machine did else.
class RoundTimes {
 public:
  explicit RoundTimes(std::int64_t pieces) : times_(static_cast<std::size_t>(pieces)) {}

  void add(std::int64_t piece, double ms) { times_[static_cast<std::size_t>(piece)].push_back(ms); }
  std::int64_t pieces() const { return static_cast<std::int64_t>(times_.size()); }
  /// Sums over the pieces: an epoch's milliseconds. Each piece must have a time.
  double best() const;
  double median() const;

 private:
  std::vector<std::vector<double>> times_;
};

/// A stepper, and the times of its steps.
struct TimedStepper {
  std::unique_ptr<Stepper> stepper;
  WorkClock clock;
  RoundTimes times;

  void run_epoch() {
    for (std::int64_t i = 0; i < times.pieces(); ++i) times.add(i, clock.milliseconds_of([&] { stepper->step(); }));
  }
};

/// Calls `round` again and again, so that what is compared is interleaved: options.epochs times, or at least three
/// times and until options.min_seconds have passed for each of the `contenders`. @return rounds.
std::int64_t run_rounds(const BenchmarkOptions& options, std::int64_t contenders, const std::function<void()>& round);

}  // namespace cavs::inline v0_1
