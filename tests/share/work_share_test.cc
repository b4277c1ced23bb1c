#include "share/work_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace cavs {
namespace {

TEST(Part, PartsAreContiguousAndSplitAtTheGrain) {
  for (std::int32_t end : {10, 11, 17, 100})
    for (int n : {1, 2, 3, 7}) {
      std::int32_t next = 10;
      for (int i = 0; i < n; ++i) {
        const auto [begin, stop] = split_range(10, end, i, n, 4);
        EXPECT_EQ(begin, next);
        EXPECT_TRUE(stop == end || (stop - 10) % 4 == 0) << stop;
        next = stop;
      }
      EXPECT_EQ(next, end);
    }
}

TEST(PartByCost, BalancesRowsByTheirEdges) {
  // four rows without edges, then rows with edges
  const std::vector<std::int32_t> segments{0, 0, 0, 0, 0, 4, 8, 8, 12, 12};
  for (const auto& [row, edge] : {std::pair{1, 0}, {0, 1}, {1, 1}, {3, 2}})
    for (int n : {1, 2, 3, 20}) {
      std::int32_t next = 1;
      for (int i = 0; i < n; ++i) {
        const auto [begin, end] = split_by_cost(1, 9, i, n, segments.data(), row, edge);
        EXPECT_EQ(begin, next);
        next = end;
      }
      EXPECT_EQ(next, 9);
    }
  EXPECT_EQ(split_by_cost(0, 8, 0, 2, segments.data(), 1, 0).end, 4);
  EXPECT_EQ(split_by_cost(0, 8, 0, 2, segments.data(), 0, 1).end, 6);
  EXPECT_EQ(split_by_cost(0, 8, 0, 2, segments.data(), 1, 1).end, 6) << "10 of 20";
}

TEST(ShareOfProduct, EveryRowOfEveryPanelHasOneWorker) {
  for (std::int32_t rows : {0, 1, 5, 31, 32, 100})
    for (int units : {1, 2, 3, 4, 12})
      for (int workers : {1, 2, 3}) {
        std::vector<int> times(static_cast<std::size_t>(rows * units), 0);
        for (int w = 0; w < workers; ++w) {
          const ProductShare share = share_of_product({7, 7 + rows}, units, {w, w, workers});
          for (std::int32_t r = share.rows.begin; r < share.rows.end; ++r)
            for (int p = share.units.begin; p < share.units.end; ++p) ++times[(r - 7) * units + p];
        }
        EXPECT_EQ(std::count(times.begin(), times.end(), 1), rows * units)
            << rows << " rows, " << units << " units, " << workers << " workers";
      }
}

TEST(ShareOfProduct, SplitsManyRowsByRowsAndOthersByColumns) {
  EXPECT_EQ(share_of_product({0, 128}, 4, {1, 1, 2}).rows.begin, 64);
  EXPECT_EQ(share_of_product({0, 128}, 4, {1, 1, 2}).units.begin, 0);
  EXPECT_EQ(share_of_product({0, 128}, 4, {1, 1, 2}).units.end, 4);
  EXPECT_EQ(share_of_product({0, 64}, 4, {1, 1, 2}).units.begin, 2);
  EXPECT_EQ(share_of_product({0, 64}, 4, {1, 1, 2}).rows.begin, 0);
  EXPECT_EQ(share_of_product({0, 64}, 1, {1, 1, 2}).rows.begin, 32);
  EXPECT_TRUE(share_of_product({0, 8}, 1, {0, 0, 2}).empty())
      << "too few rows to share, so one worker has the only unit";
  EXPECT_FALSE(share_of_product({0, 8}, 1, {1, 1, 2}).empty());
}

}  // namespace
}  // namespace cavs
