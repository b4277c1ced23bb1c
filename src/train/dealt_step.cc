#include "train/dealt_step.h"

#include <algorithm>
#include <tuple>

namespace cavs::inline v0_1 {

void DealtStep::deal(std::span<const std::int32_t> samples, std::int64_t minibatches,
                     std::span<const std::int64_t> sizes) {
  const std::size_t parts = std::min(static_cast<std::size_t>(minibatches), samples.size());
  samples_.assign(samples.begin(), samples.end());
  begins_.assign(parts + 1, 0);
  begins_[parts] = samples.size();
  if (parts == 1) return;
  places_.clear();
  for (std::size_t i = 0; i < samples.size(); ++i) places_.push_back({sizes[samples[i]], 0, i});
  std::ranges::sort(places_, {}, [](const Place& p) { return std::tuple(-p.size, p.position); });
  for (std::size_t turn = 0; turn < places_.size(); ++turn) {
    const std::size_t round = turn / parts, place = turn % parts;
    places_[turn].minibatch = round % 2 == 0 ? place : parts - 1 - place;
  }
  std::ranges::sort(places_, {}, [](const Place& p) { return std::tuple(p.minibatch, p.position); });
  for (std::size_t i = samples.size(); i-- > 0;) {
    samples_[i] = samples[places_[i].position];
    begins_[places_[i].minibatch] = i;
  }
}

}  // namespace cavs::inline v0_1
