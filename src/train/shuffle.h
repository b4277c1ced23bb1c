#pragma once

#include <cstdint>
#include <span>

namespace cavs {

/// Fills `order` with 0, 1, ... order.size() - 1 in the random order of an epoch: a pure function of (size, seed,
/// epoch), by Fisher-Yates over the Philox stream (seed, shuffle, epoch). Allocates nothing.
void shuffled_order(std::uint64_t seed, std::int64_t epoch, std::span<std::int32_t> order);

}  // namespace cavs
