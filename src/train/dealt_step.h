#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cavs::inline v0_1 {

/// Deals the samples of a step to its minibatches, so that all of these take about the same time: by size, the largest
/// first and equal ones in their order, to minibatches 0, 1 ... ... 1, 0, 0, 1 ... In a minibatch the samples
/// have the order that they have in the step. Steps of like length allocate nothing after the first.
class DealtStep {
 public:
  /// Deals to as many minibatches, but at most one per sample.
  /// @param samples  their numbers, at least one
  /// @param sizes    of samples, by number; one minibatch needs none
  void deal(std::span<const std::int32_t> samples, std::int64_t minibatches, std::span<const std::int64_t> sizes);
  std::span<const std::int32_t> minibatch(std::int64_t number) const {
    return std::span(samples_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }

 private:
  struct Place {
    std::int64_t size;
    std::size_t minibatch, position;
  };
  std::vector<Place> places_;
  std::vector<std::int32_t> samples_;  // minibatch by minibatch
  std::vector<std::size_t> begins_;    // [minibatches + 1], in samples_
};

}  // namespace cavs::inline v0_1
