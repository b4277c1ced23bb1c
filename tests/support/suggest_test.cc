#include "support/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cavs {
namespace {

const std::vector<std::string_view> kPolicies{"frontier", "agenda", "depth"};

TEST(Suggest, NamesTheNearestAndAllKnownInOrder) {
  const std::vector<std::pair<std::string, std::string>> cases{
      // swapping two letters counts as one slip
      {"dept", "did you mean 'depth'? "},
      {"dpeth", "did you mean 'depth'? "},
      {"AGENDA", "did you mean 'agenda'? "},
      {"fron", "did you mean 'frontier'? "},
      {"breadth-first", ""},
      {"", ""},
      {std::string(1'000'000, 'a'), ""}};  // too long to compare
  for (const auto& [name, nearest] : cases)
    EXPECT_EQ(suggest(name, kPolicies), nearest + "known: agenda, depth, frontier") << name.substr(0, 20);
}

TEST(Suggest, DoesNotSuggestAnotherNameForASingleLetter) {
  const std::vector<std::string> names{"h", "c"};
  EXPECT_EQ(suggest("x", names), "known: c, h");
}

TEST(Suggest, ReportsThatNothingIsKnown) { EXPECT_EQ(suggest("depth", std::vector<std::string>{}), "known: none"); }

}  // namespace
}  // namespace cavs
