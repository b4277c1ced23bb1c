#include "execute/pace.h"

#include <algorithm>

namespace cavs {

void Pace::Speed::add(double more_work, double more_seconds) {
  constexpr double kMemory = 0.8;
  ++runs;
  work = kMemory * work + more_work, seconds = kMemory * seconds + more_seconds;
}

bool Pace::is_alone(Time now) {
  if (is_trial_ && left_ == 0) end_trial(now);
  if (!is_trial_ && speeds_[way_].runs >= 2 * kRuns && now >= next_) {
    is_trial_ = true, left_ = kRuns, lost_ = 0;
    speeds_[1 - way_] = {};
  }
  current_ = is_trial_ ? static_cast<Way>(1 - way_) : way_;
  return current_ == kAlone;
}

void Pace::add(double work, double seconds) {
  is_counted_ = work > 0 && (!is_trial_ || left_ < kRuns);
  if (work <= 0) return;
  if (is_counted_) speeds_[current_].add(work, seconds);
  if (!is_trial_) return;
  const double expected = work * speeds_[way_].seconds_each();
  lost_ += seconds - expected;
  --left_;
  if (seconds > 8 * expected) left_ = 0;  // a time slice, and not a cache that is cold
}

void Pace::add_rest(double seconds) {
  if (is_counted_) speeds_[current_].seconds += seconds;
  if (is_trial_) lost_ += seconds;
}

void Pace::end_trial(Time now) {
  is_trial_ = false;
  Speed& tried = speeds_[current_];
  // A trial that was given up at its first run, which is not counted, was much slower, too.
  const double ratio = tried.runs > 0 ? tried.seconds_each() / speeds_[way_].seconds_each() : 2 * kMuchSlower;
  const double least = current_ == kAlone ? kFaster : 1;  // a team that is as fast has the benefit of the doubt
  if (ratio < least) {
    way_ = current_;
    tried.runs = kRuns;
  }
  const std::chrono::duration<double> pause(std::max(lost_, 0.0) / (ratio > kMuchSlower ? kSmallShare : kShareOfTrials));
  next_ = now + std::max<std::chrono::steady_clock::duration>(
                    kLeastPause, std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause));
}

}  // namespace cavs
