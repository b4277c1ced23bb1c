#include "execute/pace.h"

#include <algorithm>

namespace cavs::inline v0_1 {

void Pace::Speed::add(double more_work, double more_seconds, double more_waits) {
  constexpr double kMemory = 0.8;
  ++runs;
  weight = kMemory * weight + 1;
  work = kMemory * work + more_work;
  seconds = kMemory * seconds + more_seconds;
  waits = kMemory * waits + more_waits;
}

bool Pace::choose_alone(Time now) {
  if (since_ == Time{}) since_ = now;
  if (is_trial_ && left_ == 0) end_trial(now);
  if (!is_trial_ && speeds_[way_].runs >= 2 * kRuns && is_due(now)) {
    is_trial_ = true;
    left_ = kRuns;
    lost_ = 0;
    speeds_[other()] = {};
  }
  return (is_trial_ ? other() : way_) == kAlone;
}

/// True if a trial is due. While the team is faster, that is once a trial's loss is a small share of the time passed.
bool Pace::is_due(Time now) const {
  const double pause = way_ == kCollective ? std::min(pause_, expected_loss() / kSmallShare) : pause_;
  return std::chrono::duration<double>(now - since_).count() >= std::max(pause, kLeastPause);
}

/// Returns an upper bound of the seconds that a trial alone loses. A trial ends early if alone is much slower, and a
/// run alone takes at most the time in which all workers worked.
double Pace::expected_loss() const {
  const Speed& team = speeds_[kCollective];
  const double works = (workers_ * team.seconds - team.waits) / team.weight;
  return (1 + kFewRuns) * std::max(works - team.seconds_each_run(), 0.0);
}

void Pace::add(bool alone, double work, double seconds, double waits) {
  const Way way = alone ? kAlone : kCollective;
  last_ = nullptr;
  if (way == way_) {
    last_ = &speeds_[way];
  } else if (is_trial_ && left_ > 0) {  // otherwise the run was chosen before it was known that the trial ends
    const double expected = work * speeds_[way_].seconds_each();
    lost_ += seconds - expected;
    if (left_-- < kRuns) last_ = &speeds_[way];
    if (seconds > 8 * expected) left_ = 0;  // the caller must have lost a time slice, since a cold cache costs less
  }
  if (last_ != nullptr) last_->add(work, seconds, waits);
  // Ends a trial whose result is clear after a few runs.
  if (way != way_ && speeds_[way].runs >= kFewRuns && ratio_of_trial() > kMuchSlower) left_ = 0;
}

void Pace::add_rest(double seconds) {
  if (last_ == nullptr) return;
  last_->seconds += seconds;
  if (last_ == &speeds_[other()]) lost_ += seconds;
}

void Pace::end_trial(Time now) {
  is_trial_ = false;
  Speed& tried = speeds_[other()];
  // If the trial was given up in its first run, which is not counted, the tried way is also taken to be much slower.
  const double ratio = tried.runs > 0 ? ratio_of_trial() : 2 * kMuchSlower;
  const double least = other() == kAlone ? kFaster : 1;  // the caller must be faster by a margin to go alone
  double loss = lost_;
  if (ratio < least) {  // the tried way becomes the usual way
    loss = (1 + kFewRuns) * (speeds_[way_].seconds_each_run() - tried.seconds_each_run());
    way_ = other();
    tried.runs = kRuns;
  }
  since_ = now;
  pause_ = std::max(loss, 0.0) / (std::max(ratio, 1 / ratio) > kMuchSlower ? kSmallShare : kShareOfTrials);
}

}  // namespace cavs::inline v0_1
