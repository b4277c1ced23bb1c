#include "measure/ablation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/error.h"
#include "compile/passes.h"
#include "helpers/models.h"

namespace cavs {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

BenchmarkOptions one_round() {
  BenchmarkOptions options;
  options.epochs = 1;
  return options;
}

TrainOptions minibatches_of_four() {
  TrainOptions options;
  options.batch_size = 4;
  return options;
}

const Variant& find(const std::vector<Variant>& variants, std::string_view name) {
  for (const Variant& variant : variants)
    if (variant.name == name) return variant;
  throw std::out_of_range(std::string(name));
}

TEST(AblationVariants, AreNothingThenEachOptimisationThenAll) {
  const auto variants = ablation_variants({});
  const auto passes = optional_passes();
  EXPECT_THAT(variants, SizeIs(passes.size() + 4));
  EXPECT_EQ(variants.front().name, "baseline");
  EXPECT_THAT(variants.front().options.disabled_passes, SizeIs(passes.size()));
  EXPECT_EQ(variants.back().name, "all");
  EXPECT_EQ(variants.front().options.session.streaming, Streaming::kOff);
  EXPECT_EQ(find(variants, "all, streaming").options.session.streaming, Streaming::kOn);
  EXPECT_THAT(variants.back().options.disabled_passes, IsEmpty());
  for (std::string_view pass : passes) {
    const auto& disabled = find(variants, pass).options.disabled_passes;
    EXPECT_THAT(disabled, SizeIs(passes.size() - 1));
    EXPECT_THAT(disabled, Not(Contains(pass)));
  }
}

TEST(AblationVariants, OnlyOneDoesNotBatch) {
  for (const Variant& variant : ablation_variants({}))
    EXPECT_EQ(variant.options.session.policy, variant.name == "no batching" ? "serial" : "frontier") << variant.name;
}

TEST(AblationVariants, OmitOptimisationsThatAreOff) {
  TrainOptions base;
  base.disabled_passes = {"fuse"};
  for (const Variant& variant : ablation_variants(base)) {
    EXPECT_NE(variant.name, "fuse");
    EXPECT_EQ(std::count(variant.options.disabled_passes.begin(), variant.options.disabled_passes.end(), "fuse"), 1);
  }
}

TEST(Ablation, EveryVariantHasTheSameLossAndASpeed) {
  const Model model = small_model("tree-lstm-binary");
  const GraphSet graphs = random_trees(10, 50, 1);
  BenchmarkOptions options = one_round();
  for (const bool training : {true, false}) {
    options.training = training;
    const auto variants = ablation_variants(minibatches_of_four());
    const Ablation result = ablate(model, graphs, options, variants);
    ASSERT_THAT(result.rows, SizeIs(variants.size()));
    EXPECT_EQ(result.rounds, 1);
    EXPECT_DOUBLE_EQ(result.rows[0].ratio, 1);
    for (const AblationRow& row : result.rows) {
      EXPECT_NEAR(row.loss, result.rows[0].loss, 1e-5 * result.rows[0].loss) << row.name;
      EXPECT_NEAR(row.samples_per_second * row.step_ms * 3, 10 * 1e3, 1e-6) << "ten samples take three steps";
      EXPECT_NEAR(row.ratio * row.step_ms, result.rows[0].step_ms, 1e-9);
      EXPECT_GE(row.median_ms, row.step_ms);
    }
  }
}

TEST(Ablation, DetectsAVariantThatChangesTheLoss) {
  const Model model = small_model("tree-lstm-binary", 0.5);
  const GraphSet graphs = random_trees(8, 50, 1);
  std::vector<Variant> variants{{"as it is", minibatches_of_four()}, {"other masks", minibatches_of_four()}};
  variants[1].options.seed = 2;
  EXPECT_THAT([&] { ablate(model, graphs, one_round(), variants); },
              ThrowsMessage<InternalError>(HasSubstr("'other masks' changes the loss of the first step: ")));
}

TEST(Ablation, DrawsTheRatios) {
  const Ablation first{{{.name = "baseline", .ratio = 1}, {.name = "all", .ratio = 3}}};
  const Ablation second{{{.name = "baseline", .ratio = 1}, {.name = "all", .ratio = 2}}};
  const BarChart chart = ablation_chart("t", {64, 256}, {first, second});
  EXPECT_EQ(chart.groups, (std::vector<std::string>{"64", "256"}));
  EXPECT_EQ(chart.series, (std::vector<std::string>{"baseline", "all"}));
  EXPECT_EQ(chart.panels.front().values, (std::vector<std::vector<double>>{{1, 1}, {3, 2}}));
}

}  // namespace
}  // namespace cavs
