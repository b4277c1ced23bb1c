// Products of two matrices per row, and sums over rows that are split among workers.

#include <gtest/gtest.h>

#include "backend/kernel_testing.h"

namespace cavs::cpu {
namespace {

constexpr int kBatchRows = 5;

class BatchProducts : public EveryIsa {
 protected:
  void run(const char* name, const RowArgs& args) {
    const RowKernel kernel = find_row_kernel(isa(), name);
    ASSERT_NE(kernel, nullptr) << name;
    kernel(args, 0, kBatchRows, scratch_);
  }
  Random random_{5, RandomPurpose::kGenerator};
};
CAVS_FOR_EVERY_ISA(BatchProducts);

TEST_P(BatchProducts, ASharedRightOperandGivesTheBitsOfItsCopies) {
  const Matrix x(kBatchRows, 20 * 30, random_), one(1, 30 * 40, random_);
  Matrix copies(kBatchRows, 30 * 40, random_), shared(kBatchRows, 20 * 40, random_), apart = shared;
  for (int r = 0; r < kBatchRows; ++r)
    for (int c = 0; c < 30 * 40; ++c) copies.at(r, c) = one.at(0, c);
  ConstRows y = one.view();
  y.stride = 0;
  run("batch_matmul", {.in = {x.view(), y}, .out = shared.out(), .matrix_rows = 20});
  run("batch_matmul", {.in = {x.view(), copies.view()}, .out = apart.out(), .matrix_rows = 20});
  EXPECT_TRUE(same_bits(shared.all(), apart.all()));
}

TEST_P(BatchProducts, ASumOfTwoProductsHasTheBitsOfAddingThem) {
  const Matrix x(kBatchRows, 20 * 30, random_), y(kBatchRows, 30 * 40, random_), z(kBatchRows, 20 * 7, random_),
      w(kBatchRows, 7 * 40, random_);
  const std::int32_t some[kBatchRows] = {0, -1, 2, -1, 1}, others[kBatchRows] = {3, 0, -1, -1, 1};
  Matrix first(kBatchRows, 20 * 40, random_), second = first, sum = first;
  run("batch_matmul", {.in = {x.view(some), y.view()}, .out = first.out(), .matrix_rows = 20});
  run("batch_matmul", {.in = {z.view(others), w.view()}, .out = second.out(), .matrix_rows = 20});
  run("batch_matmul_sum",
      {.in = {x.view(some), y.view(), z.view(others), w.view()}, .out = sum.out(), .matrix_rows = 20});
  for (int r = 0; r < kBatchRows; ++r)
    for (int c = 0; c < 20 * 40; ++c) ASSERT_EQ(sum.at(r, c), first.at(r, c) + second.at(r, c)) << r << " " << c;
}

TEST_P(BatchProducts, GradientOfAParameterSumsTheRowsOfAllMatrices) {
  constexpr int kHeight = 70, kLeft = 9, kRight = 40;  // rows of several matrices in one block
  const Matrix x(kBatchRows, kHeight * kLeft, random_, 5), dy(kBatchRows, kHeight * kRight, random_);
  const std::int32_t index[kBatchRows] = {4, -1, 0, 2, 2};
  ConstRows rows = x.view(index), columns = dy.view();
  rows.width = kLeft;
  rows.split = kHeight;
  columns.width = kRight;
  columns.split = kHeight;
  std::vector<float> dw(kLeft * kRight), halves(dw.size());
  matmul_tn(isa(), rows, columns, kBatchRows * kHeight, dw.data(), false, 0, 1, scratch_);
  for (int worker : {0, 1})
    matmul_tn(isa(), rows, columns, kBatchRows * kHeight, halves.data(), false, worker, 2, scratch_);
  for (int i = 0; i < kLeft; ++i)
    for (int j = 0; j < kRight; ++j) {
      double sum = 0;
      for (int r = 0; r < kBatchRows; ++r)
        for (int p = 0; index[r] >= 0 && p < kHeight; ++p)
          sum += double{x.at(index[r], p * kLeft + i)} * double{dy.at(r, p * kRight + j)};
      ASSERT_NEAR(dw[static_cast<std::size_t>(i * kRight + j)], sum, 1e-4) << i << " " << j;
    }
  EXPECT_TRUE(same_bits(dw, halves));
}

}  // namespace
}  // namespace cavs::cpu
