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

TEST(ShuffledOrder, HasUniformPermutations) {
  std::map<std::vector<std::int32_t>, int> counts;
  constexpr int kEpochs = 24'000;
  for (int epoch = 0; epoch < kEpochs; ++epoch) ++counts[order_of(4, 7, epoch)];
  ASSERT_EQ(counts.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 49.7);  // 99.9 % quantile for 23 degrees of freedom
}

TEST(ShuffledOrder, NeverChanges) { EXPECT_EQ(order_of(6, 1, 0), (std::vector<std::int32_t>{3, 2, 1, 4, 0, 5})); }

std::vector<std::int32_t> bucketed(const std::vector<std::int64_t>& sizes, const Buckets& buckets,
                                   std::uint64_t seed = 1, std::int64_t epoch = 0) {
  std::vector<std::int32_t> order(sizes.size(), -1);
  bucketed_order(seed, epoch, buckets, sizes, order);
  return order;
}

TEST(BucketedOrder, IsAPermutationAndAPureFunction) {
  EXPECT_TRUE(rc::check([] {
    const auto sizes = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 50));
    const Buckets buckets{*rc::gen::inRange<std::int64_t>(1, 9), *rc::gen::inRange<std::int64_t>(1, 9)};
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    std::vector<std::int32_t> order = bucketed(sizes, buckets, seed, 3), identity(sizes.size());
    RC_ASSERT(order == bucketed(sizes, buckets, seed, 3));
    std::iota(identity.begin(), identity.end(), 0);
    std::ranges::sort(order);
    RC_ASSERT(order == identity);
  }));
}

TEST(BucketedOrder, PutsSamplesOfSimilarSizeIntoOneMinibatch) {
  constexpr std::int64_t kBatch = 10, kSamples = 1'000;
  std::vector<std::int64_t> sizes(kSamples);
  for (std::int64_t i = 0; i < kSamples; ++i) sizes[i] = i * 7919 % 101;
  const auto spread = [&](const std::vector<std::int32_t>& order) {
    std::int64_t sum = 0;
    for (std::int64_t begin = 0; begin < kSamples; begin += kBatch) {
      std::int64_t min = 1'000, max = 0;
      for (std::int64_t i = begin; i < begin + kBatch; ++i) {
        min = std::min(min, sizes[order[i]]);
        max = std::max(max, sizes[order[i]]);
      }
      sum += max - min;
    }
    return sum;
  };
  const auto order = bucketed(sizes, {.minibatches = 20, .batch_size = kBatch});
  EXPECT_LT(spread(order) * 10, spread(order_of(kSamples, 1, 0)));
  EXPECT_NE(order, bucketed(sizes, {20, kBatch}, 1, 1));  // another epoch
  // Minibatches are not sorted by size.
  std::vector<std::int64_t> first;
  for (std::int64_t begin = 0; begin < kSamples; begin += kBatch) first.push_back(sizes[order[begin]]);
  EXPECT_FALSE(std::is_sorted(first.begin(), first.begin() + 20));
}

TEST(BucketedOrder, PutsTheIncompleteMinibatchLast) {
  const std::vector<std::int64_t> sizes{9, 1, 8, 2, 7, 3, 6};  // all samples are sorted together: 1 2 3 | 6 7 8 | 9
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    const auto order = bucketed(sizes, {.minibatches = 10, .batch_size = 3}, 1, epoch);
    EXPECT_EQ(order.back(), 0) << epoch;
    EXPECT_TRUE(order.front() == 1 || order.front() == 6) << epoch;
  }
}

}  // namespace
}  // namespace cavs
