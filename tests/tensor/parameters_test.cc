#include "cavs/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cavs/error.h"
#include "support/hash.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

std::vector<float> values_of(const ParameterInfo& info, std::uint64_t seed = 1) {
  const Parameters parameters({info}, seed);
  const auto values = parameters.values(0);
  return {values.begin(), values.end()};
}

double deviation(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

float largest(const std::vector<float>& values) {
  return std::abs(*std::ranges::max_element(values, {}, [](float v) { return std::abs(v); }));
}

TEST(Fnv1a, GivesThePublishedHashes) {
  EXPECT_EQ(fnv1a(""), 0xCBF29CE484222325U);
  EXPECT_EQ(fnv1a("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171F73967E8U);
}

TEST(Parameters, DependOnlyOnSeedAndName) {
  const ParameterInfo w{"W", {4, 5}, false, Initializer::normal(1)}, u{"U", {4, 5}, false, Initializer::normal(1)};
  const Parameters both({u, w}, 1);
  EXPECT_THAT(both.values("W"), ElementsAreArray(values_of(w)));
  EXPECT_THAT(both.values("U"), Not(ElementsAreArray(values_of(w))));
  EXPECT_NE(values_of(w, 1), values_of(w, 2));
}

TEST(Parameters, FollowTheirInitializer) {
  EXPECT_THAT(values_of({"b", {3}, false, Initializer::zeros()}), Each(0.0F));
  EXPECT_THAT(values_of({"b", {3}, false, Initializer::constant(-2.5F)}), Each(-2.5F));
  EXPECT_NEAR(deviation(values_of({"w", {300, 200}, false, Initializer::normal(0.1F)})), 0.1, 0.001);
  const auto uniform = values_of({"w", {300, 200}, false, Initializer::uniform(0.2F)});
  EXPECT_NEAR(deviation(uniform), 0.2 / std::sqrt(3.0), 0.001);
  EXPECT_LE(largest(uniform), 0.2F);
}

TEST(Parameters, XavierUsesBothDimensionsOfTheMatrix) {
  const auto uniform = values_of({"w", {300, 200}, false, Initializer::xavier_uniform(2)});
  EXPECT_LE(largest(uniform), 2 * std::sqrt(6.0F / 500));
  EXPECT_GT(largest(uniform), 1.99F * std::sqrt(6.0F / 500));
  EXPECT_NEAR(deviation(values_of({"w", {300, 200}, false, Initializer::xavier_normal()})), std::sqrt(2.0 / 500),
              0.001);
}

TEST(Parameters, UseTheCallersMemoryAfterBind) {
  Parameters parameters({{"w", {2, 2}, false, {}}}, 1);
  std::vector<float> mine{1, 2, 3, 4};
  const std::uint64_t before = parameters.version(0);
  parameters.bind(0, mine.data());
  EXPECT_THAT(parameters.values("w"), ElementsAreArray({1, 2, 3, 4}));
  mine[3] = 9;
  EXPECT_EQ(parameters.values(0)[3], 9);
  EXPECT_GT(parameters.version(0), before);
}

TEST(Parameters, KeepTheirValuesWhenMoved) {
  Parameters first({{"w", {2}, false, Initializer::constant(3)}}, 1);
  const Parameters second = std::move(first);
  EXPECT_THAT(second.values("w"), ElementsAreArray({3, 3}));
}

TEST(Parameters, CountChanges) {
  Parameters parameters({{"w", {2}, false, {}}, {"b", {2}, false, {}}}, 1);
  const std::uint64_t first = parameters.version(0), second = parameters.version(1);
  parameters.touch(1);
  EXPECT_EQ(parameters.version(0), first);
  EXPECT_GT(parameters.version(1), second);
}

TEST(Parameters, SuggestAKnownNameForAnUnknownOne) {
  const Parameters parameters({{"embedding", {2, 2}, true, {}}, {"U", {2}, false, {}}}, 1);
  EXPECT_EQ(parameters.find("U"), 1);
  EXPECT_THAT([&] { parameters.find("embeding"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("'embeding'"), HasSubstr("'embedding'"))));
}

struct BadDeclaration {
  std::vector<ParameterInfo> infos;
  std::string message;
};

TEST(Parameters, RefuseBadDeclarations) {
  const BadDeclaration cases[] = {
      {{{"", {2}, false, {}}}, "parameter 1 of 1 has an empty name"},
      {{{"w", {2}, false, {}}, {"w", {3}, false, {}}}, "two parameters are named 'w'"},
      {{{"w", {2, 0}, false, {}}}, "parameter 'w' has shape [2, 0]; every size must be positive"},
      {{{"w", {2, -1}, false, {}}}, "parameter 'w' has shape [2, -1]"},
      {{{"w", {2147483647, 2147483647, 2147483647}, false, {}}}, "has more than"},
      {{{"t", {2}, true, {}}}, "table 't' has shape [2]; expected [rows, d]"},
      {{{"w", {2}, false, Initializer::normal(-1)}}, "scale -1"},
      {{{"w", {2}, false, Initializer::constant(std::numeric_limits<float>::infinity())}}, "scale inf"},
  };
  for (const BadDeclaration& c : cases)
    EXPECT_THAT([&] { Parameters(c.infos, 1); }, ThrowsMessage<UserError>(HasSubstr(c.message)));
}

TEST(Gradients, AreZerosInTheSizesOfTheParameters) {
  const Gradients gradients(Parameters({{"w", {2, 3}, false, {}}, {"t", {4, 2}, true, {}}}, 1));
  ASSERT_EQ(gradients.size(), 2U);
  EXPECT_THAT(gradients.values(0), ElementsAreArray(std::vector<float>(6)));
  EXPECT_THAT(gradients.values(1), ElementsAreArray(std::vector<float>(8)));
  EXPECT_TRUE(gradients.table_rows[1].empty());
}

}  // namespace
}  // namespace cavs
