#include "train/shuffle.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/check.h"
#include "support/philox.h"

namespace cavs::inline v0_1 {

void shuffled_order(std::uint64_t seed, std::int64_t epoch, std::span<std::int32_t> order) {
  std::iota(order.begin(), order.end(), 0);
  Random random(seed, RandomPurpose::kShuffle, static_cast<std::uint64_t>(epoch));
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
}

void bucketed_order(std::uint64_t seed, std::int64_t epoch, const Buckets& buckets, std::span<const std::int64_t> sizes,
                    std::span<std::int32_t> order) {
  CAVS_ASSERT(buckets.minibatches >= 1 && buckets.batch_size >= 1 && sizes.size() == order.size());
  shuffled_order(seed, epoch, order);
  const auto batch = static_cast<std::size_t>(buckets.batch_size);
  const auto minibatches = std::min(static_cast<std::size_t>(buckets.minibatches), order.size() / batch + 1);
  for (std::size_t begin = 0; begin < order.size(); begin += minibatches * batch)
    std::ranges::stable_sort(order.subspan(begin, std::min(minibatches * batch, order.size() - begin)), {},
                             [&](std::int32_t sample) { return sizes[sample]; });
  Random random(seed, RandomPurpose::kBuckets, static_cast<std::uint64_t>(epoch));
  for (std::size_t left = order.size() / batch; left > 1; --left) {
    const std::size_t other = random.below(static_cast<std::uint32_t>(left));
    if (other + 1 < left)
      std::ranges::swap_ranges(order.subspan((left - 1) * batch, batch), order.subspan(other * batch, batch));
  }
}

}  // namespace cavs::inline v0_1
