#include <algorithm>
#include <cmath>
#include <numbers>

#include "cavs/optimizer.h"

namespace cavs::inline v0_1 {
namespace {

double decay_factor(const LearningRateSchedule& s, std::int64_t step) {
  if (!s.counts_steps()) return 1;
  const double periods = static_cast<double>(step) / static_cast<double>(s.decay_steps);
  const double done = std::min(periods, 1.0);
  switch (s.decay) {
    case LearningRateSchedule::Decay::kLinear:
      return 1 - (1 - s.floor) * done;
    case LearningRateSchedule::Decay::kCosine:
      return s.floor + (1 - s.floor) * (1 + std::cos(std::numbers::pi * done)) / 2;
    case LearningRateSchedule::Decay::kExponential:
      return std::max(s.floor, std::pow(s.rate, periods));
    case LearningRateSchedule::Decay::kStep:
      return std::max(s.floor, std::pow(s.rate, std::floor(periods)));
    default:
      return 1;
  }
}

}  // namespace

double LearningRateSchedule::factor(std::int64_t step) const {
  if (step < warmup_steps) return static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
  return decay_factor(*this, step - warmup_steps);
}

}  // namespace cavs::inline v0_1
