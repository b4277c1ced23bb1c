#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "backend/kernel_testing.h"
#include "helpers/sanitizer.h"

namespace cavs::cpu {
namespace {

class Gradients : public EveryIsa {};
CAVS_FOR_EVERY_ISA(Gradients);

std::vector<float> weight_gradient(const Isa& isa, const ConstRows& x, const ConstRows& dy, int rows, int workers,
                                   const std::vector<float>* add_to = nullptr) {
  std::vector<float> dw(static_cast<std::size_t>(x.width) * static_cast<std::size_t>(dy.width), std::nanf(""));
  if (add_to) dw = *add_to;
  Scratch scratch;
  for (int worker = 0; worker < workers; ++worker)
    matmul_tn(isa, x, dy, rows, dw.data(), add_to != nullptr, worker, workers, scratch);
  return dw;
}

struct GradientSize {
  int rows, k, n;
};
constexpr GradientSize kGradientSizes[] = {{1, 1, 1},     {30, 64, 64},   {7, 5, 3},      {300, 17, 5},
                                           {300, 5, 130}, {257, 130, 65}, {1000, 70, 300}};

TEST_P(Gradients, OfAWeightAgreesWithPlainLoopsInDouble) {
  Random random(11, RandomPurpose::kGenerator);
  for (const auto [rows, k, n] : kGradientSizes) {
    SCOPED_TRACE(testing::Message() << rows << " rows, k " << k << ", n " << n);
    const Matrix x(rows, k, random, 1), dy(rows, n, random);
    const auto i = random_index(rows, rows, random), j = random_index(rows, rows, random);
    for (const auto& [xs, dys] : {std::pair{x.view(), dy.view()}, {x.view(i.data()), dy.view(j.data())}}) {
      const auto dw = weight_gradient(isa(), xs, dys, rows, 1);
      for (int a = 0; a < k; ++a)
        for (int b = 0; b < n; ++b) {
          double sum = 0;
          for (int r = 0; r < rows; ++r) sum += double{element(xs, r, a)} * element(dys, r, b);
          ASSERT_NEAR(dw[static_cast<std::size_t>(a * n + b)], sum, 2e-6 * std::sqrt(rows)) << a << " " << b;
        }
    }
  }
}

TEST_P(Gradients, OfAWeightIsTheSumOfItsBlocksInOrder) {
  Random random(13, RandomPurpose::kGenerator);
  const int rows = 600, k = 20, n = 30;
  const Matrix x(rows, k, random), dy(rows, n, random);
  std::vector<float> sum = weight_gradient(isa(), x.view(), dy.view(), kSumBlock, 1);
  for (int r = kSumBlock; r < rows; r += kSumBlock) {
    ConstRows xs = x.view(), dys = dy.view();
    xs.base += r * xs.stride;
    dys.base += r * dys.stride;
    const auto block = weight_gradient(isa(), xs, dys, std::min(rows - r, kSumBlock), 1);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += block[i];
  }
  EXPECT_TRUE(same_bits(weight_gradient(isa(), x.view(), dy.view(), rows, 1), sum));
}

TEST_P(Gradients, OfAWeightAccumulates) {
  Random random(14, RandomPurpose::kGenerator);
  const Matrix x(40, 9, random), dy(40, 70, random);
  const auto once = weight_gradient(isa(), x.view(), dy.view(), 40, 1);
  auto twice = weight_gradient(isa(), x.view(), dy.view(), 40, 2, &once);
  for (std::size_t i = 0; i < once.size(); ++i) ASSERT_EQ(twice[i], once[i] + once[i]);
  EXPECT_TRUE(same_bits(weight_gradient(isa(), x.view(), dy.view(), 0, 2, &once), once));
  EXPECT_TRUE(same_bits(weight_gradient(isa(), x.view(), dy.view(), 0, 2), std::vector<float>(once.size())));
}

TEST_P(Gradients, OfABiasAgreesWithPlainLoopsForAnyNumberOfWorkers) {
  Random random(15, RandomPurpose::kGenerator);
  for (const int width : {1, 5, 16, 63, 64, 65, 300})
    for (const int rows : {0, 1, 256, 700}) {
      SCOPED_TRACE(testing::Message() << "width " << width << ", rows " << rows);
      const Matrix x(rows + 1, width, random, 2);
      const auto index = random_index(rows, rows + 1, random);
      std::vector<float> alone(static_cast<std::size_t>(width), std::nanf("")), shared = alone;
      sum_rows(isa(), x.view(index.data()), rows, alone.data(), false, 0, 1);
      for (int worker = 0; worker < 3; ++worker)
        sum_rows(isa(), x.view(index.data()), rows, shared.data(), false, worker, 3);
      EXPECT_TRUE(same_bits(alone, shared));
      for (int c = 0; c < width; ++c) {
        double sum = 0;
        for (int r = 0; r < rows; ++r) sum += element(x.view(index.data()), r, c);
        ASSERT_NEAR(alone[static_cast<std::size_t>(c)], sum, 1e-5 * (1 + std::sqrt(rows)));
      }
      sum_rows(isa(), x.view(index.data()), rows, shared.data(), true, 0, 1);
      EXPECT_FLOAT_EQ(shared[0], 2 * alone[0]);
    }
}

/// Compares every lane, so that the norm has the same bits everywhere. Squares of floats are exact in double.
TEST_P(Gradients, OfAnyLengthHaveTheirSquaresAddedPerLane) {
  Random random(17, RandomPurpose::kGenerator);
  for (const int count : {0, 1, 5, 15, 16, 17, 31, 32, 63, 100, 1000})
    for (const int offset : {0, 1, 3}) {
      SCOPED_TRACE(testing::Message() << count << " numbers from " << offset);
      std::vector<float> x(static_cast<std::size_t>(offset + count), std::nanf(""));
      double sums[kSquareLanes], expected[kSquareLanes];
      for (int lane = 0; lane < kSquareLanes; ++lane) sums[lane] = expected[lane] = random.uniform();
      for (int i = 0; i < count; ++i) {
        const float value = std::ldexp(2 * random.uniform() - 1, static_cast<int>(random.below(41)) - 20);
        x[static_cast<std::size_t>(offset + i)] = value;
        expected[i % kSquareLanes] += double{value} * value;
      }
      isa().add_squares(x.data() + offset, count, sums);
      for (int lane = 0; lane < kSquareLanes; ++lane) EXPECT_EQ(sums[lane], expected[lane]) << "lane " << lane;
    }
}

TEST_P(Gradients, ThatAreLargeOrNotFiniteAreDetectedByTheirSquares) {
  std::vector<float> x(40, 1);
  x[17] = 3e38F;
  double sums[kSquareLanes] = {};
  isa().add_squares(x.data(), 40, sums);
  EXPECT_EQ(sums[1], 2 + double{3e38F} * 3e38F) << "in float this would be infinite";
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    x[39] = bad;
    isa().add_squares(x.data(), 40, sums);
    EXPECT_FALSE(std::isfinite(sums[39 % kSquareLanes]));
  }
  EXPECT_TRUE(std::isfinite(sums[39 % kSquareLanes + 1]));
}

TEST_P(Gradients, OfAnyLengthHaveALargestMagnitude) {
  Random random(18, RandomPurpose::kGenerator);
  const auto largest = [this](const std::vector<float>& x, int offset) {
    return std::bit_cast<float>(
        isa().largest_magnitude(x.data() + offset, static_cast<std::int64_t>(x.size()) - offset));
  };
  for (const int count : {0, 1, 7, 16, 31, 64, 65, 300})
    for (const int offset : {0, 1, 3}) {
      SCOPED_TRACE(testing::Message() << count << " numbers from " << offset);
      std::vector<float> x(static_cast<std::size_t>(offset + count), std::nanf(""));
      float expected = 0;
      for (int i = 0; i < count; ++i) {
        const float value = std::ldexp(2 * random.uniform() - 1, static_cast<int>(random.below(41)) - 20);
        x[static_cast<std::size_t>(offset + i)] = value;
        expected = std::max(expected, std::abs(value));
      }
      EXPECT_EQ(largest(x, offset), expected);
      for (int i = 0; i < count; ++i) {
        std::vector<float> bad = x;
        bad[static_cast<std::size_t>(offset + i)] = -std::nanf("");
        EXPECT_TRUE(std::isnan(largest(bad, offset))) << i;
        bad[static_cast<std::size_t>(offset + i)] = -INFINITY;
        EXPECT_EQ(largest(bad, offset), INFINITY) << i;
      }
    }
}

TEST_P(Gradients, OfALookupAddTheRowsOfEachTableRowInOrder) {
  Random random(16, RandomPurpose::kGenerator);
  for (const int width : {1, 5, 64, 65, 300}) {
    const Matrix dy(6, width, random, 1);
    Matrix table(4, width, random);
    const Matrix before = table;
    const std::int32_t table_rows[] = {2, 0}, offsets[] = {0, 3, 4}, rows[] = {5, 0, 5, 3};
    for (int worker = 0; worker < 2; ++worker)
      lookup_grad(isa(), dy.view(), table_rows, offsets, rows, 2, table.data(), worker, 2);
    for (int c = 0; c < width; ++c) {
      EXPECT_EQ(table.at(2, c), before.at(2, c) + (dy.at(5, c) + dy.at(0, c) + dy.at(5, c)));
      EXPECT_EQ(table.at(0, c), before.at(0, c) + dy.at(3, c));
      EXPECT_EQ(table.at(1, c), before.at(1, c));
      EXPECT_EQ(table.at(3, c), before.at(3, c));
    }
  }
}

TEST_P(Gradients, OfALookupSumManyRowsInBlocksAndPassOverAbsentOnes) {
  constexpr int kWidth = 37, kCount = 2 * kSumBlock + 9;
  Random random(17, RandomPurpose::kGenerator);
  const Matrix dy(kCount, kWidth, random);
  std::vector<std::int32_t> index(kCount), rows(kCount);
  for (int r = 0; r < kCount; ++r) {
    index[r] = r % 5 == 2 ? -1 : r;
    rows[r] = kCount - 1 - r;
  }
  const std::int32_t table_row = 0, offsets[] = {0, kCount};
  for (const int workers : {1, 3}) {
    std::vector<float> table(kWidth, 0.5F);
    for (int worker = 0; worker < workers; ++worker)
      lookup_grad(isa(), dy.view(index.data()), &table_row, offsets, rows.data(), 1, table.data(), worker, workers);
    for (int c = 0; c < kWidth; ++c) {
      float sum = 0.5F;
      for (int begin = 0; begin < kCount; begin += kSumBlock) {
        float block = 0;
        for (int j = begin; j < std::min(begin + kSumBlock, kCount); ++j)
          if (index[rows[j]] >= 0) block += dy.at(rows[j], c);
        sum += block;
      }
      EXPECT_EQ(table[c], sum) << "column " << c;
    }
  }
}

TEST(Scratch, IsUsableAfterMemoryRanOut) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer ends the process where memory runs out";
  Scratch scratch;
  scratch.floats(1000);
  EXPECT_THROW(scratch.floats(std::size_t{1} << 50), std::bad_alloc);
  ASSERT_NE(scratch.floats(10), nullptr);
  scratch.floats(10)[9] = 1;
}

}  // namespace
}  // namespace cavs::cpu
