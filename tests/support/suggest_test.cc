#include "support/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cavs {
namespace {

const std::vector<std::string_view> kPolicies{"frontier", "agenda", "depth"};

TEST(Suggest, NamesTheNearestAndAllKnownInOrder) {
  EXPECT_EQ(suggest("dept", kPolicies), "did you mean 'depth'? known: agenda, depth, frontier");
}

TEST(Suggest, CountsASwapOfNeighboursAsOneSlip) {
  EXPECT_EQ(suggest("dpeth", kPolicies), "did you mean 'depth'? known: agenda, depth, frontier");
}

TEST(Suggest, IgnoresLetterCase) {
  EXPECT_EQ(suggest("AGENDA", kPolicies), "did you mean 'agenda'? known: agenda, depth, frontier");
}

TEST(Suggest, TakesTheBeginningOfAName) {
  EXPECT_EQ(suggest("fron", kPolicies), "did you mean 'frontier'? known: agenda, depth, frontier");
}

TEST(Suggest, ListsOnlyTheKnownWhereNoneIsNear) {
  EXPECT_EQ(suggest("breadth-first", kPolicies), "known: agenda, depth, frontier");
  EXPECT_EQ(suggest("", kPolicies), "known: agenda, depth, frontier");
}

TEST(Suggest, DoesNotReplaceAOneLetterNameByAnother) {
  const std::vector<std::string> names{"h", "c"};
  EXPECT_EQ(suggest("x", names), "known: c, h");
}

TEST(Suggest, SaysSoWhereNothingIsKnown) { EXPECT_EQ(suggest("depth", std::vector<std::string>{}), "known: none"); }

TEST(Suggest, TakesAVeryLongNameWithoutComparingIt) {
  EXPECT_EQ(suggest(std::string(1'000'000, 'a'), kPolicies), "known: agenda, depth, frontier");
}

}  // namespace
}  // namespace cavs
