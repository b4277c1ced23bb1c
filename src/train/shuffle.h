#pragma once

#include <cstdint>
#include <span>

namespace cavs::inline v0_1 {

/// Fills `order` with 0, 1, ... order.size() - 1 in the random order of an epoch: a pure function of (size, seed,
/// epoch), by Fisher-Yates over the Philox stream (seed, shuffle, epoch). Allocates nothing.
void shuffled_order(std::uint64_t seed, std::int64_t epoch, std::span<std::int32_t> order);

/// Options for minibatches of samples of similar size. All minibatches of a step count as one minibatch here.
struct Buckets {
  std::int64_t minibatches = 0;  // minibatches whose samples are sorted together; more make the order less random
  std::int64_t batch_size = 1;   // samples per minibatch
};

/// Fills `order` with the random order of an epoch, in which every `minibatches * batch_size` samples are sorted by
/// size and cut into minibatches, which are then shuffled. A last minibatch that is not full stays last. A pure
/// function of all arguments. Cost: a sort.
/// @param sizes  [samples]: size of the sample.
void bucketed_order(std::uint64_t seed, std::int64_t epoch, const Buckets& buckets, std::span<const std::int64_t> sizes,
                    std::span<std::int32_t> order);

}  // namespace cavs::inline v0_1
