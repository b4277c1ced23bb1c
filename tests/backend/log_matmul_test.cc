#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/kernel_testing.h"

namespace cavs::cpu {
namespace {

constexpr int kLogRows = 3;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct LogSizes {
  int k, n;
};
constexpr LogSizes kLogSizes[] = {{1, 1}, {3, 4}, {16, 16}, {5, 33}, {40, 17}};

class LogMatmul : public EveryIsa {
 protected:
  void run(const char* name, const RowArgs& args, int end = kLogRows) {
    const RowKernel kernel = find_row_kernel(isa(), name);
    ASSERT_NE(kernel, nullptr) << name;
    kernel(args, 0, end, scratch_);
  }
  Random random_{23, RandomPurpose::kGenerator};
};
CAVS_FOR_EVERY_ISA(LogMatmul);

/// One matrix for all rows, as a parameter.
ConstRows shared(const Matrix& w) {
  ConstRows view = w.view();
  view.stride = 0;
  return view;
}

TEST_P(LogMatmul, IsStableAndAcceptsImpossibleStates) {
  const std::vector<float> x{3000, -3000, -kInfinity};
  const std::vector<float> w{0, -kInfinity, -7000,  //
                             0, -kInfinity, 1,      //
                             0, 0,          0};
  const std::vector<float> dy{1, 1, 1};
  std::vector<float> y(3), terms(9, -1);
  const ConstRows row{x.data(), 3, nullptr, 3}, matrix{w.data(), 9, nullptr, 9}, ones{dy.data(), 3, nullptr, 3};
  run("log_matmul", {.in = {row, matrix}, .out = {y.data(), 3, 3}}, 1);
  EXPECT_EQ(y, (std::vector<float>{3000, -kInfinity, -2999}));
  run("log_matmul_grad", {.in = {row, matrix, {y.data(), 3, nullptr, 3}, ones}, .out = {terms.data(), 9, 9}}, 1);
  EXPECT_EQ(terms, (std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0}));
}

TEST_P(LogMatmul, MaxMatmulChoosesTheFirstLargest) {
  for (const auto [k, n] : kLogSizes) {
    SCOPED_TRACE(testing::Message() << k << " x " << n);
    Matrix x(kLogRows, k, random_), w(1, k * n, random_);
    const Matrix dy(kLogRows, n, random_);
    if (k > 2) {  // rows 1 and 2 of the matrix give the same, the largest, sum in the first columns
      for (int r = 0; r < kLogRows; ++r) x.at(r, 2) = x.at(r, 1);
      for (int j = 0; j < std::min(n, 3); ++j) w.at(0, n + j) = w.at(0, 2 * n + j) = 9;
    }
    Matrix y(kLogRows, n, random_), terms(kLogRows, k * n, random_);
    run("max_matmul", {.in = {x.view(), shared(w)}, .out = y.out()});
    run("max_matmul_grad", {.in = {x.view(), shared(w), y.view(), dy.view()}, .out = terms.out()});
    for (int r = 0; r < kLogRows; ++r)
      for (int j = 0; j < n; ++j) {
        int first = 0;
        for (int p = 1; p < k; ++p)
          if (x.at(r, p) + w.at(0, p * n + j) > x.at(r, first) + w.at(0, first * n + j)) first = p;
        ASSERT_EQ(y.at(r, j), x.at(r, first) + w.at(0, first * n + j));
        for (int p = 0; p < k; ++p) ASSERT_EQ(terms.at(r, p * n + j), p == first ? dy.at(r, j) : 0);
      }
  }
}

TEST_P(LogMatmul, LogSumExpIsInfiniteOnlyWhereAllFeaturesAre) {
  const std::vector<float> x{-kInfinity, -kInfinity, 1e4F, -kInfinity, kInfinity, 0};
  std::vector<float> y(3);
  run("log_sum_exp", {.in = {{x.data(), 2, nullptr, 2}}, .out = {y.data(), 1, 1}});
  EXPECT_EQ(y, (std::vector<float>{-kInfinity, 1e4F, kInfinity}));
}

TEST_P(LogMatmul, HardMaxChoosesTheFirstLargest) {
  const std::vector<float> x{1, 3, 2, 3, -1, -5, -1, -2, 0, std::nanf(""), 4, 0};
  std::vector<float> y(12, -1);
  run("hard_max", {.in = {{x.data(), 4, nullptr, 4}}, .out = {y.data(), 4, 4}});
  EXPECT_EQ(y, (std::vector<float>{0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}));
}

}  // namespace
}  // namespace cavs::cpu
