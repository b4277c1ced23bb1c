#include "decode/state_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "helpers/graphs.h"

namespace cavs {
namespace {

StatePool pool_of_two() { return {{{"c", {2}}, {"h", {1}}}, std::make_unique<HostStateMemory>()}; }

std::vector<float> row(StatePool& pool, std::int32_t row, std::size_t state) {
  const float* const first = pool.rows(0, state) + row * pool.states()[state].width();
  return {first, first + pool.states()[state].width()};
}

void set(StatePool& pool, std::int32_t slot, std::size_t state, const std::vector<float>& values) {
  std::ranges::copy(values, pool.rows(0, state) + slot * std::ssize(values));
}

TEST(StatePool, KeepsStatesWhileItGrows) {
  StatePool pool = pool_of_two();
  for (std::int32_t k = 0; k < 100; ++k) {
    if (k % 7 == 0) pool.reserve(k);
    ASSERT_EQ(pool.take(), k);
    set(pool, k, 0, {static_cast<float>(k), static_cast<float>(-k)});
    set(pool, k, 1, {static_cast<float>(2 * k)});
  }
  for (std::int32_t k = 0; k < 100; ++k) {
    EXPECT_EQ(row(pool, k, 0), (std::vector<float>{static_cast<float>(k), static_cast<float>(-k)}));
    EXPECT_EQ(row(pool, k, 1), (std::vector<float>{static_cast<float>(2 * k)}));
  }
}

TEST(StatePool, TellsWhichSlotsHoldOnlyNumbersUntilTheyAreReused) {
  StatePool pool = pool_of_two();
  const std::int32_t slot = pool.take();
  EXPECT_TRUE(pool.is_finite(slot));
  pool.set_finite(slot, false);
  EXPECT_FALSE(pool.is_finite(slot));
  pool.free(slot);
  EXPECT_EQ(pool.take(), slot);
  EXPECT_TRUE(pool.is_finite(slot));
}

TEST(StatePool, UsesTheFirstFreeSlotsAndReleasesTheLast) {
  StatePool pool = pool_of_two();
  for (int k = 0; k < 5; ++k) pool.take();
  pool.free(3);
  pool.free(1);
  EXPECT_EQ(pool.slots(), 5);
  pool.free(4);
  EXPECT_EQ(pool.slots(), 3) << "3 and 4 are the last, and free";
  EXPECT_EQ(pool.take(), 1);
  EXPECT_EQ(pool.take(), 3);
}

TEST(StatePool, KeepsUsedSlotsWhateverIsFreedAndAllocated) {
  StatePool pool = pool_of_two();
  Numbers numbers(7);
  std::map<std::int32_t, float> in_use;
  for (int round = 0; round < 300; ++round) {
    const std::int32_t count = numbers.below(9);
    pool.reserve(count);
    const float* const rows = pool.rows(count, 0);
    for (std::int32_t k = 0; k < count; ++k) {
      const std::vector<float> c{static_cast<float>(round), static_cast<float>(k)};
      const std::int32_t slot = pool.take();
      ASSERT_TRUE(in_use.emplace(slot, c[0] * 100 + c[1]).second) << "taken twice";
      set(pool, slot, 0, c);
    }
    EXPECT_EQ(pool.rows(count, 0), rows) << "rows moved in spite of reserve()";
    for (auto at = in_use.begin(); at != in_use.end();)
      if (numbers.below(2) == 0) {
        pool.free(at->first);
        at = in_use.erase(at);
      } else {
        const std::vector<float> c = row(pool, at->first, 0);
        ASSERT_EQ(c[0] * 100 + c[1], at->second);
        ++at;
      }
    EXPECT_EQ(pool.slots(), in_use.empty() ? 0 : in_use.rbegin()->first + 1);
  }
}

}  // namespace
}  // namespace cavs
