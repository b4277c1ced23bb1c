// Products of bf16 against their definition in double, in plain code and with all instructions that the processor has
// for them.

#include "backend/cpu/bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backend/kernel_testing.h"

namespace cavs::cpu {
namespace {

TEST(Bf16, RoundsToTheNearestTiesToEven) {
  EXPECT_EQ(from_bf16(to_bf16(1.0F)), 1.0F);
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 0x1p-8F)), 1.0F);                // a tie, to even
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 3 * 0x1p-8F)), 1.0F + 0x1p-6F);  // the tie above
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 0x1p-8F + 0x1p-20F)), 1.0F + 0x1p-7F);
  EXPECT_EQ(from_bf16(to_bf16(-2.5F)), -2.5F);
  EXPECT_EQ(from_bf16(to_bf16(std::numeric_limits<float>::infinity())), std::numeric_limits<float>::infinity());
  EXPECT_EQ(from_bf16(to_bf16(std::numeric_limits<float>::max())), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::nanf("1")))));
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::bit_cast<float>(0x7F800001U))))) << "not an infinity";
}

std::string bf16_name(const testing::TestParamInfo<const Bf16Isa*>& isa) { return isa.param->name; }

class Bf16Products : public testing::TestWithParam<const Bf16Isa*> {
 protected:
  Scratch scratch_;
};
INSTANTIATE_TEST_SUITE_P(Isa, Bf16Products,
                         testing::ValuesIn(available_bf16_isas().begin(), available_bf16_isas().end()), bf16_name);

TEST(Bf16, EveryInstructionSetHasTheSameBits) {
  Random random(5, RandomPurpose::kGenerator);
  constexpr int kSteps = 3;
  std::vector<Bf16> a(kTileSide * kTileDepth * kSteps), b(a.size());
  for (Bf16& x : a) x = to_bf16(2 * random.uniform() - 1);
  for (Bf16& x : b) x = to_bf16(2 * random.uniform() - 1);
  std::vector<float> first;
  for (const Isa* isa : available_isas()) {
    std::vector<float> c(kTileSide * kTileSide);
    isa->bf16_tile(a.data(), kTileDepth * kSteps, b.data(), kSteps, c.data());
    if (first.empty()) first = c;
    EXPECT_TRUE(same_bits(c, first)) << isa->name;
  }
}

// Of any size of numbers, as long as no sum is below the normal ones.
TEST_P(Bf16Products, HaveTheBitsOfPlainCode) {
  Random random(6, RandomPurpose::kGenerator);
  for (int rows = 1; rows <= 2 * kTileSide; ++rows)
    for (int column_tiles = 1; column_tiles <= 2; ++column_tiles)
      for (const int magnitude : {0, 3, 20}) {
        const int steps = 1 + static_cast<int>(random.below(3));
        const auto numbers = [&] {
          std::vector<Bf16> all(static_cast<std::size_t>(2 * kTileSide * kTileDepth * steps));
          for (Bf16& x : all)
            x = to_bf16(std::ldexp(2 * random.uniform() - 1,
                                   magnitude == 0 ? 0 : static_cast<int>(random.below(2 * magnitude)) - magnitude));
          return all;
        };
        const std::vector<Bf16> a = numbers(), b = numbers();
        const auto results = [&](const Bf16Isa& isa) {
          std::vector<float> c(4 * kTileSide * kTileSide, 7), kept;
          isa.block({a.data(),
                     std::int64_t{kTileDepth} * steps,
                     {b.data(), b.data() + kTileSide * kTileDepth * steps},
                     rows,
                     column_tiles,
                     steps,
                     c.data()});
          for (int r = 0; r < rows; ++r)
            for (int t = 0; t < column_tiles; ++t) {
              const float* const row = c.data() + ((r / kTileSide * 2 + t) * kTileSide + r % kTileSide) * kTileSide;
              kept.insert(kept.end(), row, row + kTileSide);
            }
          return kept;
        };
        ASSERT_TRUE(same_bits(results(*GetParam()), results(kEmulatedBf16))) << rows << " rows, " << magnitude;
      }
}

double rounded(float x) { return from_bf16(to_bf16(x)); }

PackedWeight packed(const Matrix& w, int k, int n, bool transposed = false) {
  PackedWeight p(k, n, Precision::kBf16);
  p.pack(0, w.all().data(), transposed, 0, transposed ? n : k);
  return p;
}

TEST_P(Bf16Products, AreProductsOfRoundedNumbers) {
  Random random(1, RandomPurpose::kGenerator);
  for (const auto& [k, n] : {std::pair{1, 1}, {31, 5}, {64, 48}, {100, 300}})
    for (const int rows : {1, 15, 16, 17, 50, 200}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, k " << k << ", n " << n);
      const Matrix w(k, n, random), x(rows, k, random);
      Matrix y(rows, n, random, 2);
      const auto index = random_index(rows, rows, random);
      const PackedWeight p = packed(w, k, n);
      for (const ConstRows& view : {x.view(), x.view(index.data())}) {
        const ProductOut out[] = {{y.out()}};
        matmul(*GetParam(), view, 0, rows, p, out, 0, p.units(), scratch_);
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < n; ++c) {
            double sum = 0;
            for (int i = 0; i < k; ++i) sum += rounded(element(view, r, i)) * rounded(w.at(i, c));
            ASSERT_NEAR(y.at(r, c), sum, 1e-6 * k) << r << " " << c;
          }
      }
      for (int r = 0; r + 1 < rows; ++r) ASSERT_TRUE(std::isnan(y.all()[static_cast<std::size_t>(r * (n + 2) + n)]));
    }
}

TEST_P(Bf16Products, ARowHasTheSameBitsAloneAndAmongOthers) {
  Random random(2, RandomPurpose::kGenerator);
  const int k = 70, n = 40, rows = 53;
  const Matrix w(k, n, random), x(rows, k, random);
  const PackedWeight p = packed(w, k, n);
  Matrix alone(rows, n, random), together(rows, n, random);
  const ProductOut one[] = {{alone.out()}}, all[] = {{together.out()}};
  for (int r = 0; r < rows; ++r)
    for (int u = 0; u < p.units(); ++u) matmul(*GetParam(), x.view(), r, r + 1, p, one, u, u + 1, scratch_);
  matmul(*GetParam(), x.view(), 0, rows, p, all, 0, p.units(), scratch_);
  EXPECT_TRUE(same_bits(alone.all(), together.all()));
}

TEST_P(Bf16Products, ReadATransposedWeightAndAddToWhatIsThere) {
  Random random(3, RandomPurpose::kGenerator);
  const int k = 45, n = 37;
  const Matrix w(k, n, random), x(20, k, random);
  Matrix transposed(n, k, random), y(20, n, random), before = y, product(20, n, random);
  for (int i = 0; i < k; ++i)
    for (int c = 0; c < n; ++c) transposed.at(c, i) = w.at(i, c);
  const PackedWeight p = packed(w, k, n), t = packed(transposed, k, n, true);
  const ProductOut set[] = {{product.out()}}, add[] = {{y.out(), true}};
  matmul(*GetParam(), x.view(), 0, 20, p, set, 0, p.units(), scratch_);
  matmul(*GetParam(), x.view(), 0, 20, t, add, 0, t.units(), scratch_);
  for (int r = 0; r < 20; ++r)
    for (int c = 0; c < n; ++c) ASSERT_EQ(y.at(r, c), before.at(r, c) + product.at(r, c));
}

TEST_P(Bf16Products, WeightGradientsSumOverRoundedRows) {
  Random random(4, RandomPurpose::kGenerator);
  for (const auto& [k, n] : {std::pair{5, 3}, {40, 64}, {64, 17}})
    for (const int rows : {0, 1, 33, 600}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, k " << k << ", n " << n);
      const Matrix x(rows + 1, k, random), dy(rows + 1, n, random);
      const auto index = random_index(rows, rows + 1, random);
      for (const bool accumulate : {false, true}) {
        Matrix dw(k, n, random), before = dw, shared = dw;
        matmul_tn(*GetParam(), x.view(index.data()), dy.view(), rows, dw.data(), accumulate, 0, 1, scratch_);
        for (int worker = 0; worker < 3; ++worker)
          matmul_tn(*GetParam(), x.view(index.data()), dy.view(), rows, shared.data(), accumulate, worker, 3, scratch_);
        EXPECT_TRUE(same_bits(dw.all(), shared.all()));
        for (int i = 0; i < k; ++i)
          for (int c = 0; c < n; ++c) {
            double sum = accumulate ? double{before.at(i, c)} : 0.0;
            for (int r = 0; r < rows; ++r) sum += rounded(element(x.view(index.data()), r, i)) * rounded(dy.at(r, c));
            ASSERT_NEAR(dw.at(i, c), sum, 1e-6 * (rows + 1)) << i << " " << c;
          }
      }
    }
}

}  // namespace
}  // namespace cavs::cpu
