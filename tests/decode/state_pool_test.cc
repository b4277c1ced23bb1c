#include "decode/state_pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cavs {
namespace {

StatePool pool_of_two() { return StatePool({{"c", {2}}, {"h", {1}}}); }

std::vector<float> row(StatePool& pool, std::int32_t row, std::size_t state) {
  const float* const first = pool.rows(0, state) + row * pool.states()[state].width();
  return {first, first + pool.states()[state].width()};
}

TEST(StatePool, KeepsStatesWhileItGrows) {
  StatePool pool = pool_of_two();
  for (std::int32_t k = 0; k < 100; ++k) {
    if (k % 7 == 0) pool.reserve(k);
    ASSERT_EQ(pool.take(), k);
    const float c[] = {static_cast<float>(k), static_cast<float>(-k)};
    pool.set(k, 0, c), pool.set(k, 1, k % 2 == 0 ? c : nullptr);
  }
  for (std::int32_t k = 0; k < 100; ++k) {
    EXPECT_EQ(row(pool, k, 0), (std::vector<float>{static_cast<float>(k), static_cast<float>(-k)}));
    EXPECT_EQ(row(pool, k, 1), (std::vector<float>{k % 2 == 0 ? static_cast<float>(k) : 0.0F}));
  }
}

TEST(StatePool, HasRoomForNewVerticesBeforeTheSlotsThatStaysWhileTheyAreTaken) {
  StatePool pool = pool_of_two();
  const float c[] = {5, 6};
  pool.set(pool.take(), 0, c);
  pool.reserve(3);
  float* const rows = pool.rows(3, 0);
  for (int i = 0; i < 6; ++i) rows[i] = 1;
  for (int k = 0; k < 3; ++k) pool.set(pool.take(), 0, rows);
  EXPECT_EQ(pool.rows(3, 0), rows);
  EXPECT_EQ(row(pool, 0, 0), (std::vector<float>{5, 6}));
  EXPECT_EQ(row(pool, 3, 0), (std::vector<float>{1, 1}));
}

TEST(StatePool, TellsWhichSlotsHoldOnlyNumbersUntilTheyAreTakenAgain) {
  StatePool pool = pool_of_two();
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    const float c[] = {1, bad}, good[] = {1, 2};
    const std::int32_t slot = pool.take();
    pool.set(slot, 0, c), pool.set(slot, 1, good);
    EXPECT_FALSE(pool.is_finite(slot)) << bad;
    pool.free(slot);
    EXPECT_EQ(pool.take(), slot);
    pool.set(slot, 0, good), pool.set(slot, 1, good);
    EXPECT_TRUE(pool.is_finite(slot));
  }
}

}  // namespace
}  // namespace cavs
