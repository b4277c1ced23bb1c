// Engine `reference` is independent of the engines that it checks: it evaluates the declared functions, and has its own
// random numbers and rounding.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "compile/passes.h"
#include "compile/target.h"
#include "execute/reference/dropout.h"
#include "execute/reference/operators.h"
#include "helpers/evaluate.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

using reference::is_dropped;
using reference::MaskKey;
using reference::philox4x32;
using reference::rounded_operand;
using reference::Rounding;
using reference::Words;

// Vectors from kat_vectors of Random123 1.14, by the authors of Philox.
TEST(ReferenceDropout, PhiloxGivesThePublishedNumbers) {
  constexpr std::uint32_t kOnes = 0xFFFFFFFF;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox4x32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
            (Words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(ReferenceDropout, DropsTheGivenFractionAndUsesEveryPartOfTheKey) {
  constexpr int kColumns = 20'000;
  const MaskKey key{.seed = 5, .epoch = 3, .mask = 1, .sample = 7, .vertex = 2};
  const auto dropped = [](const MaskKey& k, double probability) {
    std::vector<bool> mask;
    for (int c = 0; c < kColumns; ++c) mask.push_back(is_dropped(k, c, probability));
    return mask;
  };
  for (const double probability : {0.0, 0.1, 0.5, 0.9}) {
    const auto mask = dropped(key, probability);
    EXPECT_NEAR(static_cast<double>(std::count(mask.begin(), mask.end(), true)) / kColumns, probability, 0.01);
  }
  const auto mask = dropped(key, 0.5);
  std::vector<MaskKey> others(6, key);
  others[0].seed = std::uint64_t{1} << 32 | 5;
  others[1].epoch = 4;
  others[2].mask = 2;
  others[3].sample = 8;
  others[4].vertex = 3;
  others[5].vertex = {};
  for (const MaskKey& other : others) {
    const auto theirs = dropped(other, 0.5);
    const int equal = static_cast<int>(std::inner_product(mask.begin(), mask.end(), theirs.begin(), 0, std::plus<>(),
                                                          [](bool a, bool b) { return a == b ? 1 : 0; }));
    EXPECT_NEAR(static_cast<double>(equal) / kColumns, 0.5, 0.02);
  }
}

TEST(ReferenceRounding, RoundsToTheBitsOfThePrecision) {
  EXPECT_EQ(rounded_operand(0, Rounding::kBf16), 0);
  EXPECT_EQ(rounded_operand(1 + 0x1p-8, Rounding::kBf16), 1) << "a tie, to even";
  EXPECT_EQ(rounded_operand(1 + 0x3p-8, Rounding::kBf16), 1 + 0x1p-6) << "a tie, rounded up to even";
  EXPECT_EQ(rounded_operand(1 + 0x1p-8 + 0x1p-20, Rounding::kBf16), 1 + 0x1p-7);
  EXPECT_EQ(rounded_operand(-1 - 0x1p-8 - 0x1p-20, Rounding::kBf16), -1 - 0x1p-7);
  EXPECT_EQ(rounded_operand(1 - 0x1p-10, Rounding::kBf16), 1) << "to the next power of two";
  EXPECT_EQ(rounded_operand(0x1.FEp100, Rounding::kBf16), 0x1.FEp100);
  EXPECT_EQ(rounded_operand(0x1.23p-100, Rounding::kBf16), 0x1.24p-100);
  EXPECT_EQ(rounded_operand(INFINITY, Rounding::kBf16), INFINITY);
  EXPECT_EQ(rounded_operand(1 + 0x1p-11, Rounding::kTf32), 1 + 0x1p-10) << "a tie, away from zero";
  EXPECT_EQ(rounded_operand(-1 - 0x1p-11, Rounding::kTf32), -1 - 0x1p-10);
  EXPECT_EQ(rounded_operand(1 + 0x1p-12, Rounding::kTf32), 1);
  EXPECT_TRUE(std::isnan(rounded_operand(NAN, Rounding::kBf16)));
}

class ReferenceOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, ReferenceOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(ReferenceOfModel, DoesNotDependOnPassesOrTheTarget) {
  const ZooCase zoo = make(2, 0.3);
  const auto samples = all_samples(zoo.graphs);
  CompileOptions none;
  for (const std::string_view pass : optional_passes()) none.disabled_passes.emplace_back(pass);
  const SessionOptions reference{.engine = EngineKind::kReference};
  const Result expected = Bench(zoo.model, zoo.graphs).run(samples, reference);
  expect_same_result_bits(Bench(zoo.model, zoo.graphs, none).run(samples, reference), expected, zoo.name + ", passes");
  const auto for_another =
      compile(zoo.model, {}, Target{.slice_columns = 1, .tile_sums = 4, .grouping = RowGrouping::kNone});
  expect_same_result_bits(Bench(for_another, zoo.model, zoo.graphs).run(samples, reference), expected,
                          zoo.name + ", target");
}

TEST_P(ReferenceOfModel, TouchesTheRowsOfTablesThatTheEngineTouches) {
  const ZooCase zoo = make(3);
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs);
  auto found = bench.run(samples).gradients.table_rows;
  for (std::vector<std::int32_t>& rows : found) std::ranges::sort(rows);
  EXPECT_EQ(found, bench.run(samples, {.engine = EngineKind::kReference}).gradients.table_rows);
}

}  // namespace
}  // namespace cavs
