#include "train/shuffle.h"

#include <numeric>
#include <utility>

#include "support/philox.h"

namespace cavs {

void shuffled_order(std::uint64_t seed, std::int64_t epoch, std::span<std::int32_t> order) {
  std::iota(order.begin(), order.end(), 0);
  Random random(seed, RandomPurpose::kShuffle, static_cast<std::uint64_t>(epoch));
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
}

}  // namespace cavs
