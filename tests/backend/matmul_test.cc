#include <gtest/gtest.h>

#include <cmath>

#include "backend/kernel_testing.h"

namespace cavs::cpu {
namespace {

class Matmul : public EveryIsa {
 protected:
  void multiply(const ConstRows& x, int begin, int end, const PackedWeight& w, Rows y) {
    const ProductOut out[] = {{y}};
    matmul(isa(), x, begin, end, w, out, 0, w.units(), scratch_);
  }
};
CAVS_FOR_EVERY_ISA(Matmul);

PackedWeight packed(const Matrix& w, int k, int n) {
  PackedWeight p(k, n);
  p.pack(0, w.all().data(), false, 0, k);
  return p;
}

struct MatmulSize {
  int k, n;
};
constexpr MatmulSize kMatmulSizes[] = {{1, 1},    {7, 5},    {64, 17},  {150, 64},
                                       {64, 100}, {33, 192}, {512, 65}, {150, 768}};

TEST_P(Matmul, AgreesWithPlainLoopsInDouble) {
  Random random(5, RandomPurpose::kGenerator);
  for (const auto [k, n] : kMatmulSizes)
    for (const int rows : {1, 2, 6, 13, 70}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, k " << k << ", n " << n);
      const Matrix w(k, n, random), x(rows, k, random, rows % 3);
      Matrix y(rows, n, random, 2);
      const auto index = random_index(rows, rows, random);
      for (const ConstRows& view : {x.view(), x.view(index.data())}) {
        multiply(view, 0, rows, packed(w, k, n), y.out());
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < n; ++c) {
            double sum = 0, magnitude = 0;
            for (int p = 0; p < k; ++p) {
              const double product = double{element(view, r, p)} * w.at(p, c);
              sum += product;
              magnitude += std::abs(product);
            }
            ASSERT_NEAR(y.at(r, c), sum, 1e-7 * std::sqrt(k) * magnitude) << r << " " << c;
          }
      }
      for (int r = 0; r + 1 < rows; ++r) ASSERT_TRUE(std::isnan(y.all()[static_cast<std::size_t>(r * (n + 2) + n)]));
    }
}

TEST_P(Matmul, EachElementIsOneChainOfMultiplyAdds) {
  Random random(7, RandomPurpose::kGenerator);
  const int k = 300, n = 70;
  const Matrix w(k, n, random), x(9, k, random);
  Matrix y(9, n, random);
  multiply(x.view(), 0, 9, packed(w, k, n), y.out());
  const bool fused = std::string(isa().name) != "portable";
  if (!fused && std::fma(1.0F + 0x1p-20F, 1.0F + 0x1p-20F, -1.0F) == 0) GTEST_SKIP() << "no fma";
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < n; ++c) {
      float once = 0, twice = 0;  // rounded once or twice per step, depending on the instruction set
      for (int p = 0; p < k; ++p) {
        once = std::fma(x.at(r, p), w.at(p, c), once);
        volatile float product = x.at(r, p) * w.at(p, c);
        twice = twice + product;
      }
      ASSERT_TRUE(y.at(r, c) == once || (!fused && y.at(r, c) == twice)) << r << " " << c;
    }
}

TEST_P(Matmul, WeightsSideBySideGiveTheBitsOfSeparateProducts) {
  struct Case {
    int k;
    std::vector<int> widths;
    int gate;
  };
  Random random(11, RandomPurpose::kGenerator);
  for (const Case& c : {Case{40, {96, 32}, 32}, Case{300, {100, 100}, 100}, Case{7, {48}, 16}, Case{64, {5, 20}, 0}}) {
    SCOPED_TRACE(testing::Message() << "k " << c.k << ", gate " << c.gate);
    PackedWeight together(c.k, c.widths, c.gate);
    std::vector<Matrix> weights, apart, found;
    for (const int n : c.widths) {
      weights.emplace_back(c.k, n, random);
      together.pack(static_cast<int>(weights.size()) - 1, weights.back().all().data(), false, 0, c.k);
    }
    for (const int rows : {1, 2, 5, 13}) {
      const Matrix x(rows, c.k, random);
      apart.clear();
      found.clear();
      std::vector<ProductOut> outs;
      for (const Matrix& w : weights) {
        apart.emplace_back(rows, w.stride(), random, 3);
        found.push_back(apart.back());
        multiply(x.view(), 0, rows, packed(w, c.k, w.stride()), apart.back().out());
      }
      for (Matrix& y : found) outs.push_back({y.out(), false});
      for (int u = 0; u < together.units(); ++u) matmul(isa(), x.view(), 0, rows, together, outs, u, u + 1, scratch_);
      for (std::size_t p = 0; p < found.size(); ++p) ASSERT_TRUE(same_bits(found[p].all(), apart[p].all()));
    }
  }
}

TEST_P(Matmul, AddsTheFinishedSumToTheOutput) {
  Random random(12, RandomPurpose::kGenerator);
  const int k = 700, n = 70;
  const Matrix w(k, n, random);
  for (const int rows : {1, 3, 30}) {
    const Matrix x(rows, k, random);
    Matrix product(rows, n, random), y(rows, n, random), expected = y;
    multiply(x.view(), 0, rows, packed(w, k, n), product.out());
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < n; ++c) expected.at(r, c) = y.at(r, c) + product.at(r, c);
    const PackedWeight p = packed(w, k, n);
    const ProductOut out[] = {{y.out(), true}};
    matmul(isa(), x.view(), 0, rows, p, out, 0, p.units(), scratch_);
    ASSERT_TRUE(same_bits(y.all(), expected.all())) << rows << " rows";
  }
}

TEST_P(Matmul, OneRowMayServeAllRows) {
  Random random(9, RandomPurpose::kGenerator);
  const Matrix w(10, 20, random), x(1, 10, random);
  ConstRows view = x.view();
  view.stride = 0;
  Matrix y(8, 20, random);
  multiply(view, 0, 8, packed(w, 10, 20), y.out());
  for (int r = 1; r < 8; ++r)
    for (int c = 0; c < 20; ++c) ASSERT_EQ(bits_of(y.at(r, c)), bits_of(y.at(0, c)));
}

TEST(PackedWeight, ReadsATransposedWeight) {
  Random random(10, RandomPurpose::kGenerator);
  for (const auto [k, n] : kMatmulSizes) {
    SCOPED_TRACE(testing::Message() << "k " << k << ", n " << n);
    const Matrix w(k, n, random);
    Matrix transposed(n, k, random);
    for (int p = 0; p < k; ++p)
      for (int c = 0; c < n; ++c) transposed.at(c, p) = w.at(p, c);
    const PackedWeight a = packed(w, k, n);
    PackedWeight b(k, n);
    for (int row = 0; row < n; row += kSlice)
      b.pack(0, transposed.all().data() + row * k, true, row, std::min(row + kSlice, n));
    const auto size = static_cast<std::size_t>(a.slice_size() * a.units());
    EXPECT_TRUE(same_bits({a.slice_data(0), a.slice_data(0) + size}, {b.slice_data(0), b.slice_data(0) + size}));
  }
}

}  // namespace
}  // namespace cavs::cpu
