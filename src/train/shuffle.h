#pragma once

#include <cstdint>
#include <span>

namespace cavs::inline v0_1 {

/// Fills `order` with 0, 1, ... order.size() - 1 in the random order of an epoch: a pure function of (size, seed,
/// epoch), by Fisher-Yates over the Philox stream (seed, shuffle, epoch). Allocates nothing.
void shuffled_order(std::uint64_t seed, std::int64_t epoch, std::span<std::int32_t> order);

/// Options for minibatches of samples of similar size. Minibatches of one step count as one minibatch.
struct Buckets {
  std::int64_t minibatches = 0;  // number sorted together; more give more similar sizes but a less random order
  std::int64_t batch_size = 1;
};

/// The random order of an epoch, in which every `minibatches * batch_size` samples are sorted by size and cut into
/// minibatches, which are then shuffled. A last minibatch that is not full stays last. A pure function of all
/// arguments. Cost: a sort.
/// @param sizes  Size of each sample.
void bucketed_order(std::uint64_t seed, std::int64_t epoch, const Buckets& buckets, std::span<const std::int64_t> sizes,
                    std::span<std::int32_t> order);

}  // namespace cavs::inline v0_1
