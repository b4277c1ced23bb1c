#include "execute/pace.h"

#include <algorithm>

namespace cavs {

void Pace::Speed::add(double more_work, double more_seconds) {
  constexpr double kMemory = 0.8;
  ++runs;
  work = kMemory * work + more_work, seconds = kMemory * seconds + more_seconds;
}

bool Pace::is_alone(Time now) {
  if (left_ == 0 && speeds_[way_].runs >= 2 * kRuns && now >= next_ && may_try(waiting_)) {
    left_ = kRuns, lost_ = 0;
    speeds_[1 - way_] = {};
  }
  current_ = left_ > 0 ? static_cast<Way>(1 - way_) : way_;
  return current_ == kAlone;
}

void Pace::add(double work, double seconds, double waiting, Time now) {
  if (current_ == kTogether) waiting_ = 0.8 * waiting_ + 0.2 * waiting;
  if (work <= 0) return;
  if (left_ == 0) return speeds_[way_].add(work, seconds);
  const double expected = work * speeds_[way_].seconds_each();
  lost_ += seconds - expected;
  if (--left_ < kRuns - 1) speeds_[current_].add(work, seconds);
  const bool is_hopeless = seconds > 8 * expected;  // a time slice, and not a cache that is cold
  if (left_ == 0 || is_hopeless) end_trial(now);
}

void Pace::end_trial(Time now) {
  left_ = 0;
  Speed& tried = speeds_[current_];
  const double least = current_ == kAlone ? kFaster : 1;  // a team that is as fast has the benefit of the doubt
  if (tried.runs > 0 && tried.seconds_each() < least * speeds_[way_].seconds_each()) {
    way_ = current_;
    tried.runs = kRuns;
  }
  const std::chrono::duration<double> pause(std::max(lost_, 0.0) / kShareOfTrials);
  next_ = now + std::max<std::chrono::steady_clock::duration>(
                    kLeastPause, std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause));
}

}  // namespace cavs
