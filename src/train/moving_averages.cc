#include "train/moving_averages.h"

#include <algorithm>

namespace cavs {

void MovingAverages::follow(const Parameters& parameters, bool first) {
  const auto rate = static_cast<float>(1 - decay_);
  for (int p = 0; p < parameters.size(); ++p) {
    const std::span<const float> now = parameters.values(p);
    const std::span<float> average = averages_->values(p);
    if (first)
      std::ranges::copy(now, average.begin());
    else
      for (std::size_t i = 0; i < now.size(); ++i) average[i] += rate * (now[i] - average[i]);
    averages_->touch(p);
  }
}

Checkpoint::Averages MovingAverages::capture() const {
  Checkpoint copy;
  cavs::capture(*averages_, nullptr, copy);
  return {decay_, std::move(copy.parameters)};
}

}  // namespace cavs
