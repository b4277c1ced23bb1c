#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "cavs/evaluator.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using Column = std::vector<double>;

TEST(Correlation, AgreesWithSciPy) {
  const Column x{1, 2.5, 2.5, 4, 3.5, 5, 1.5}, y{1.2, 2, 3, 3, 4.1, 4.9, 1};
  EXPECT_NEAR(pearson(x, y), 0.9158300879108543, 1e-12);
  EXPECT_NEAR(spearman(x, y), 0.8818181818181818, 1e-12);  // equal values on both sides
}

TEST(Correlation, OfRanksDependsOnlyOnTheOrder) {
  const Column x{1, 2, 3, 4}, y{1, 10, 100, 1000}, down{4, 3, 2, -5};
  EXPECT_DOUBLE_EQ(spearman(x, y), 1);
  EXPECT_LT(pearson(x, y), 0.9);
  EXPECT_DOUBLE_EQ(spearman(x, down), -1);
}

TEST(Correlation, IsAccurateFarFromZero) {
  Column x, y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(1e9 + i);
    y.push_back(1e9 + 2 * i);
  }
  EXPECT_NEAR(pearson(x, y), 1, 1e-12);
}

TEST(Correlation, OfConstantValuesIsZero) {
  EXPECT_EQ(pearson(Column{1, 1, 1}, Column{1, 2, 3}), 0);
  EXPECT_EQ(spearman(Column{1, 2, 3}, Column{7, 7, 7}), 0);
  EXPECT_EQ(pearson(Column{0.1, 0.1, 0.1}, Column{0.1, 0.1, 0.1}), 0) << "rounding makes their mean differ from 0.1";
  EXPECT_EQ(pearson(Column{0.1, 0.1, 0.1}, Column{1, 2, 3}), 0);
  EXPECT_EQ(pearson(Column{}, Column{}), 0);
}

TEST(Correlation, ReportsValuesThatItCannotCompare) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(pearson(Column{1, nan}, Column{1, 2})));
  EXPECT_TRUE(std::isnan(spearman(Column{nan, nan}, Column{1, 2})));
  EXPECT_EQ(error_of([] {
              pearson(Column{1}, Column{1, 2});
            }),
            "correlation of 1 numbers with 2 numbers; expected as many of each");
}

}  // namespace
}  // namespace cavs
