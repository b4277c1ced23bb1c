#include "train/shuffle.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace cavs {
namespace {

std::vector<std::int32_t> order_of(std::size_t size, std::uint64_t seed, std::int64_t epoch) {
  std::vector<std::int32_t> order(size, -1);
  shuffled_order(seed, epoch, order);
  return order;
}

TEST(ShuffledOrder, IsAPermutationAndAPureFunction) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(0, 300);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto epoch = *rc::gen::inRange<std::int64_t>(0, 1000);
    std::vector<std::int32_t> order = order_of(size, seed, epoch), identity(size);
    RC_ASSERT(order == order_of(size, seed, epoch));
    std::iota(identity.begin(), identity.end(), 0);
    std::ranges::sort(order);
    RC_ASSERT(order == identity);
  }));
}

TEST(ShuffledOrder, DiffersBetweenEpochsAndSeeds) {
  EXPECT_NE(order_of(100, 1, 0), order_of(100, 1, 1));
  EXPECT_NE(order_of(100, 1, 0), order_of(100, 2, 0));
}

TEST(ShuffledOrder, GivesEveryPermutationTheSameChance) {
  std::map<std::vector<std::int32_t>, int> counts;
  constexpr int kEpochs = 24'000;
  for (int epoch = 0; epoch < kEpochs; ++epoch) ++counts[order_of(4, 7, epoch)];
  ASSERT_EQ(counts.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 49.7);  // 23 degrees of freedom, 0.1 %
}

TEST(ShuffledOrder, IsFixedForEver) { EXPECT_EQ(order_of(6, 1, 0), (std::vector<std::int32_t>{3, 2, 1, 4, 0, 5})); }

}  // namespace
}  // namespace cavs
