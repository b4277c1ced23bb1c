#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cavs::inline v0_1 {

/// Deals the samples of a step to its minibatches, so that all minibatches take about the same time. Samples, sorted by
/// descending size (stable), go to minibatches 0, 1 ... ... 1, 0, 0, 1 ... Within a minibatch, samples keep
/// their order in the step. Later steps of the same length allocate no memory.
class DealtStep {
 public:
  /// Deals the samples to `minibatches` minibatches, or to one minibatch per sample if there are fewer samples.
  /// @param samples  Numbers of the samples, at least one.
  /// @param sizes    Size of each sample, by its number; not used for a single minibatch.
  void deal(std::span<const std::int32_t> samples, std::int64_t minibatches, std::span<const std::int64_t> sizes);
  std::span<const std::int32_t> minibatch(std::int64_t number) const {
    return std::span(samples_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }

 private:
  struct Place {
    std::int64_t size;                // size of the sample
    std::size_t minibatch, position;  // the minibatch it is dealt to; its position in the step
  };
  std::vector<Place> places_;
  std::vector<std::int32_t> samples_;  // numbers of the samples, minibatch after minibatch
  std::vector<std::size_t> begins_;    // [minibatches + 1]: where a minibatch begins in samples_
};

}  // namespace cavs::inline v0_1
