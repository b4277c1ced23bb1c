#include "measure/learning_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "helpers/text.h"

namespace cavs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(LearningCurve, DrawsAPointPerEpochAndLine) {
  const std::string svg =
      to_svg({.title = "t", .train_loss = {2, 1, 0.5}, .dev_metric = {0.1, 0.5, 0.9}, .metric_is_share = true});
  EXPECT_EQ(count(svg, "<circle"), 6);
  EXPECT_THAT(svg, HasSubstr("<path d=\"M70.0 62.0L360.0 207.0L650.0 279.5\" fill=\"none\" stroke=\"#c2410c\""));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M70.0 323.0L360.0 207.0L650.0 91.0\" fill=\"none\" stroke=\"#1d4ed8\""));
}

TEST(LearningCurve, WithoutDevelopmentDataHasOneAxis) {
  const std::string svg = to_svg({.title = "t", .train_loss = {2, 1}});
  EXPECT_EQ(count(svg, "<circle"), 2);
  EXPECT_THAT(svg, Not(HasSubstr("%")));
  EXPECT_THAT(svg, Not(HasSubstr("accuracy")));
}

TEST(LearningCurve, DrawsBothLossesOnOneAxis) {
  const std::string svg = to_svg({.title = "t", .train_loss = {2, 1}, .dev_loss = {4, 2}});
  EXPECT_EQ(count(svg, "<circle"), 4);
  EXPECT_THAT(svg, HasSubstr("development loss"));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M70.0 236.0L650.0 294.0\" fill=\"none\" stroke=\"#c2410c\""));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M70.0 120.0L650.0 236.0\" fill=\"none\" stroke=\"#d97706\""));
}

TEST(LearningCurve, HasAnAxisForThePerplexityOfALanguageModel) {
  const std::string svg =
      to_svg({.title = "t", .train_loss = {2, 1}, .dev_metric = {400, 100}, .metric_name = "perplexity"});
  EXPECT_EQ(count(svg, "<circle"), 4);
  EXPECT_THAT(svg, HasSubstr("development perplexity"));
  EXPECT_THAT(svg, HasSubstr(">500</text>"));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M70.0 120.0L650.0 294.0\" fill=\"none\" stroke=\"#1d4ed8\""));
  EXPECT_THAT(svg, Not(HasSubstr("%")));
}

TEST(LearningCurve, OmitsNumbersThatAreNotFinite) {
  const std::string svg = to_svg({.title = "t", .train_loss = {1, std::nan(""), INFINITY, 1}});
  EXPECT_EQ(count(svg, "<circle"), 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(LearningCurve, IsAChartEvenWithNoneOrOneEpoch) {
  EXPECT_THAT(to_svg({.title = "t", .train_loss = {}}), HasSubstr("</svg>"));
  EXPECT_EQ(count(to_svg({.title = "t", .train_loss = {0}, .dev_metric = {0}}), "<circle"), 2);
}

TEST(LearningCurve, EscapesItsTitle) {
  EXPECT_THAT(to_svg({.title = "a<b & c", .train_loss = {1}}), HasSubstr(">a&lt;b &amp; c</text>"));
}

TEST(LearningCurve, LabelsAtMostADozenEpochs) {
  const std::vector<double> many(1000, 1.0);
  const std::string svg = to_svg({.title = "t", .train_loss = many});
  EXPECT_THAT(svg, HasSubstr(">1000</text>"));
  EXPECT_LE(count(svg, "v5\""), 13);
}

}  // namespace
}  // namespace cavs
