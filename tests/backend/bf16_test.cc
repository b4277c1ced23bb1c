// Compares bf16 products with their definition in double, in plain code and with the processor's instruction sets.

#include "backend/cpu/bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "backend/cpu/amx_model.h"
#include "backend/kernel_testing.h"

namespace cavs::cpu {
namespace {

TEST(Bf16, RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(from_bf16(to_bf16(1.0F)), 1.0F);
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 0x1p-8F)), 1.0F);                // a tie, rounded down to even
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 3 * 0x1p-8F)), 1.0F + 0x1p-6F);  // a tie, rounded up to even
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

double rounded(float x) { return from_bf16(to_bf16(x)); }

PackedWeight packed(const Bf16Isa& isa, const Matrix& w, int k, int n, bool transposed = false) {
  PackedWeight p(k, n, Precision::kBf16, &isa);
  p.pack(0, w.all().data(), transposed, 0, transposed ? n : k);
  return p;
}

/// Numbers of this magnitude, such that no sum is subnormal.
Matrix of_magnitude(int magnitude, int rows, int width, Random& random) {
  Matrix m(rows, width, random);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < width && magnitude > 0; ++c)
      m.at(r, c) = std::ldexp(m.at(r, c), static_cast<int>(random.below(2 * magnitude)) - magnitude);
  return m;
}

TEST_P(Bf16Products, APeakCountsItsMultiplyAdds) {
  if (GetParam()->multiply_adds == nullptr) GTEST_SKIP() << "its multiply-adds are those of fp32";
  const TileScope tiles(GetParam());
  if (std::string_view(GetParam()->name) != "amx_model") {
    EXPECT_GE(GetParam()->multiply_adds(1000), 1000.0);
    return;
  }
#if defined(CAVS_TEST_KERNELS)
  const std::int64_t before = amx_model::counts().multiplications;
  const double flops = GetParam()->multiply_adds(1000);
  const auto tiles_multiplied = static_cast<double>(amx_model::counts().multiplications - before);
  EXPECT_EQ(flops, 2.0 * kTileSide * kTileSide * kTileDepth * tiles_multiplied);
#endif
}

TEST_P(Bf16Products, HaveTheBitsOfPlainCode) {
  Random random(6, RandomPurpose::kGenerator);
  for (const int rows : {1, 7, 16, 17, 32, 33, 75, 300})
    for (const auto& [k, n] : {std::pair{1, 1}, {30, 16}, {64, 64}, {70, 130}, {700, 48}, {97, 37}}) {
      const int magnitude = rows % 3 * 10;
      SCOPED_TRACE(testing::Message() << rows << " rows, k " << k << ", n " << n << ", magnitude " << magnitude);
      const Matrix w = of_magnitude(magnitude, k, n, random), x = of_magnitude(magnitude, rows, k, random);
      const Matrix before = of_magnitude(magnitude, rows, n, random);
      const auto index = random_index(rows, rows, random);
      const auto results = [&, k = k, n = n](const Bf16Isa& isa, bool add) {
        Matrix y = before;
        const PackedWeight p = packed(isa, w, k, n);
        const ProductOut out[] = {{y.out(), add}};
        matmul(isa, x.view(index.data()), 0, rows, p, out, 0, p.units(), scratch_);
        return y.all();
      };
      for (const bool add : {false, true})
        ASSERT_TRUE(same_bits(results(*GetParam(), add), results(kEmulatedBf16, add))) << add;
    }
}

// Instructions for bf16 treat subnormal inputs and results as zeros; multiply-adds do not.
TEST_P(Bf16Products, SubnormalNumbersAreZerosToInstructionsForBf16) {
  Random random(10, RandomPurpose::kGenerator);
  const bool zeros =
      std::string_view(GetParam()->name) != "emulated" && std::string_view(GetParam()->name) != "avx512_bf16_fma";
  for (const auto& [left, right] : {std::pair{0x1p-130F, 0x1p100F}, {0x1p100F, 0x1p-130F}, {0x1p-70F, 0x1p-60F}}) {
    Matrix x(1, 1, random), w(1, 1, random), y(1, 1, random);
    x.at(0, 0) = left;
    w.at(0, 0) = right;
    const PackedWeight p = packed(*GetParam(), w, 1, 1);
    const ProductOut out[] = {{y.out()}};
    matmul(*GetParam(), x.view(), 0, 1, p, out, 0, p.units(), scratch_);
    EXPECT_EQ(y.at(0, 0), zeros ? 0.0F : left * right) << left << " " << right;
  }
}

const Bf16Isa* find_bf16_isa(std::string_view name) {
  for (const Bf16Isa* isa : available_bf16_isas())
    if (std::string_view(isa->name) == name) return isa;
  return nullptr;
}

/// Random bits, which include subnormal numbers, infinities and NaN.
float any_number(Random& random) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(random.below(1 << 16)) << 16 |
                              static_cast<std::uint32_t>(random.below(1 << 16)));
}
/// Numbers whose products lie on both sides of the smallest normal number, so that sums cross it.
float tiny_number(Random& random) {
  return std::ldexp(2 * random.uniform() - 1, -63 + static_cast<int>(random.below(6)) - 3);
}

// Tests what AMX does beyond the plain code: subnormal numbers are zeros before and after each multiply-add and each
// sum, and some results are infinite or NaN.
TEST(Bf16, ModelledTilesHaveTheBitsOfTheProcessor) {
  const Bf16Isa *const processor = find_bf16_isa("amx"), *const model = find_bf16_isa("amx_model");
  if (processor == nullptr) GTEST_SKIP() << "this processor has no AMX";
  if (model == nullptr) GTEST_SKIP() << "this build has no modelled tiles";
  Random random(11, RandomPurpose::kGenerator);
  Scratch scratch;
  int below = 0, infinite = 0, no_number = 0;
  for (int round = 0; round < 400; ++round) {
    const int k = 1 + static_cast<int>(random.below(96)), n = 48, rows = 40;
    Matrix x(rows, k, random), w(k, n, random), before(rows, n, random);
    const auto fill = [&](Matrix& m, int count, int width) {
      for (int r = 0; r < count; ++r)
        for (int c = 0; c < width; ++c)
          m.at(r, c) = round % 2 == 0 || random.below(k) != 0 ? tiny_number(random) : any_number(random);
    };
    fill(x, rows, k);
    fill(w, k, n);
    const auto results = [&](const Bf16Isa& isa) {
      Matrix y = before;
      const PackedWeight p = packed(isa, w, k, n);
      const ProductOut out[] = {{y.out()}};
      matmul(isa, x.view(), 0, rows, p, out, 0, p.units(), scratch);
      return y.all();
    };
    const auto found = results(*processor), expected = results(*model);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool both_no_number = std::isnan(found[i]) && std::isnan(expected[i]);
      const bool same = std::bit_cast<std::uint32_t>(found[i]) == std::bit_cast<std::uint32_t>(expected[i]);
      ASSERT_TRUE(both_no_number || same)
          << "round " << round << ", " << i << ": " << found[i] << ", modelled " << expected[i];
      below += found[i] == 0 ? 1 : 0;
      infinite += std::isinf(found[i]) ? 1 : 0;
      no_number += both_no_number ? 1 : 0;
    }
  }
  EXPECT_GT(below, 100);
  EXPECT_GT(infinite, 100);
  EXPECT_GT(no_number, 100);
}

TEST_P(Bf16Products, WeightGradientsHaveTheBitsOfPlainCode) {
  Random random(7, RandomPurpose::kGenerator);
  for (const int rows : {1, 31, 256, 600})
    for (const auto& [k, n] : {std::pair{1, 1}, {32, 64}, {70, 300}, {64, 32}, {17, 5}}) {
      const int magnitude = rows % 3 * 10;
      SCOPED_TRACE(testing::Message() << rows << " rows, k " << k << ", n " << n << ", magnitude " << magnitude);
      const Matrix x = of_magnitude(magnitude, rows, k, random), dy = of_magnitude(magnitude, rows, n, random);
      const Matrix before = of_magnitude(magnitude, k, n, random);
      const auto index = random_index(rows, rows, random);
      const auto results = [&](const Bf16Isa& isa, bool accumulate) {
        Matrix dw = before;
        matmul_tn(isa, x.view(), dy.view(index.data()), rows, dw.data(), accumulate, 0, 1, scratch_);
        return dw.all();
      };
      for (const bool accumulate : {false, true})
        ASSERT_TRUE(same_bits(results(*GetParam(), accumulate), results(kEmulatedBf16, accumulate))) << accumulate;
    }
}

/// The packed number at (k, column). Lanes past the last column are zero.
Bf16 number_of(const PackedWeight& p, const Bf16Isa& isa, int k, int column) {
  const auto* const slice = reinterpret_cast<const Bf16*>(p.slice_data(column / kSlice));
  return slice[place_in_slice(isa, k, column % kSlice)];
}

// Covers NaN, infinities and ties, but no subnormal numbers, which AVX-512 treats as zeros.
TEST_P(Bf16Products, PacksHoldRoundedNumbers) {
  Random random(8, RandomPurpose::kGenerator);
  for (const bool transposed : {false, true})
    for (const auto& [k, n] : {std::pair{1, 1}, {31, 5}, {96, 48}, {50, 70}}) {
      Matrix w(transposed ? n : k, transposed ? k : n, random);
      for (int r = 0; r < (transposed ? n : k); ++r)
        for (int c = 0; c < w.stride(); ++c) {
          const auto bits = static_cast<std::uint32_t>(random.below(1 << 16)) << 16 |
                            static_cast<std::uint32_t>(random.below(1 << 16));
          w.at(r, c) = std::bit_cast<float>((bits & 0x7F800000U) == 0 ? 0x80000000U : bits);
        }
      PackedWeight p(k, n, Precision::kBf16, GetParam());
      for (int begin = 0; begin < (transposed ? n : k); begin += kSlice)  // split as among several workers
        p.pack(0, w.all().data() + std::int64_t{begin} * w.stride(), transposed, begin,
               std::min(begin + kSlice, transposed ? n : k));
      for (int i = 0; i < bf16_steps(k) * kTileDepth; ++i)
        for (int c = 0; c < (n + kSlice - 1) / kSlice * kSlice; ++c)
          ASSERT_EQ(number_of(p, *GetParam(), i, c), i < k && c < n ? to_bf16(transposed ? w.at(c, i) : w.at(i, c)) : 0)
              << i << " " << c << (transposed ? " transposed" : "");
    }
}

// The width of the gates is not a multiple of a slice, so workers pack parts of one slice. Subnormal numbers are packed
// alike in parts, although some instructions treat them as zeros.
TEST_P(Bf16Products, PacksOfPartsOfASlice) {
  Random random(9, RandomPurpose::kGenerator);
  const int k = 40, gate = 20, n = 3 * gate;
  Matrix w(n, k, random);
  for (int r = 0; r < n; ++r) w.at(r, r % k) = std::bit_cast<float>(0x807FFFFFU);  // rounds up to a normal number
  PackedWeight at_once(k, std::vector{n}, gate, Precision::kBf16, GetParam());
  PackedWeight in_parts(k, std::vector{n}, gate, Precision::kBf16, GetParam());
  at_once.pack(0, w.all().data(), true, 0, n);
  for (int begin = 0; begin < n; begin += kSlice)
    in_parts.pack(0, w.all().data() + std::int64_t{begin} * k, true, begin, std::min(begin + kSlice, n));
  const auto floats = static_cast<std::size_t>(at_once.slice_size() * at_once.slices_of(at_once.units()));
  EXPECT_EQ(std::memcmp(at_once.slice_data(0), in_parts.slice_data(0), floats * sizeof(float)), 0);
}

TEST_P(Bf16Products, AreProductsOfRoundedNumbers) {
  Random random(1, RandomPurpose::kGenerator);
  for (const auto& [k, n] : {std::pair{1, 1}, {31, 5}, {64, 48}, {100, 300}})
    for (const int rows : {1, 15, 16, 17, 50, 200}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, k " << k << ", n " << n);
      const Matrix w(k, n, random), x(rows, k, random);
      Matrix y(rows, n, random, 2);
      const auto index = random_index(rows, rows, random);
      const PackedWeight p = packed(*GetParam(), w, k, n);
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
  const PackedWeight p = packed(*GetParam(), w, k, n);
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
  const PackedWeight p = packed(*GetParam(), w, k, n), t = packed(*GetParam(), transposed, k, n, true);
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
