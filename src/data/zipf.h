#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cavs::inline v0_1 {

/// Draws ranks from 0, with probability proportional to 1 / (rank + 1). Computes with integers, so all machines draw
/// the same ranks.
class Zipf {
 public:
  /// @param ranks  number of ranks, at most 10,000,000, so that the sum of the weights fits into 32 bits
  explicit Zipf(std::uint32_t ranks) {
    std::uint32_t sum = 0;
    weights_.reserve(ranks);
    for (std::uint32_t rank = 1; rank <= ranks; ++rank) weights_.push_back(sum += (1U << 24) / rank);
  }
  /// Returns the rank for a uniform random 32-bit number.
  std::int32_t at(std::uint32_t random) const {
    const auto point = static_cast<std::uint32_t>(std::uint64_t{random} * weights_.back() >> 32);
    return static_cast<std::int32_t>(std::upper_bound(weights_.begin(), weights_.end(), point) - weights_.begin());
  }

 private:
  std::vector<std::uint32_t> weights_;  // [ranks]: sum of the weights up to and including each rank
};

}  // namespace cavs::inline v0_1
