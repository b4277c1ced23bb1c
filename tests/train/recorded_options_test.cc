#include "train/recorded_options.h"

#include <gmock/gmock.h>

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StrEq;

TEST(RecordedOptions, DifferInBothDirections) {
  EXPECT_THAT(describe_differences({{"a", "1"}, {"b", "2"}}, {{"a", "1"}, {"b", "2"}}), StrEq(""));
  EXPECT_THAT(describe_differences({{"a", "1"}}, {{"a", "3"}}), StrEq("\n  a: 1 in the checkpoint, 3 here"));
  EXPECT_THAT(describe_differences({}, {{"a", "3"}}), StrEq("\n  a: none in the checkpoint, 3 here"));
  EXPECT_THAT(describe_differences({{"a", "1"}}, {}), StrEq("\n  a: 1 in the checkpoint, none here"));
}

TEST(RecordedOptions, OfEarlierVersionsDifferOnlyWhereTheyChangedBits) {
  const RecordedOptions neutral{{"--order-rows", "0"},
                                {"--share-equal", "off"},
                                {"--transposed-copies", "on"},
                                {"share_equal", "off"},
                                {"transposed_copies", "True"}};
  EXPECT_THAT(describe_differences(neutral, {}), StrEq(""));
  for (const auto& [name, value] : neutral)
    EXPECT_THAT(describe_differences({{name, "another"}}, {}),
                AllOf(HasSubstr(name + ": another in the checkpoint"), HasSubstr("trains as with " + value)));
}

TEST(RecordedOptions, PassesHaveTheNamesOfThisVersion) {
  EXPECT_EQ(current_passes("", ","), "");
  EXPECT_EQ(current_passes("lazy,side_by_side,fuse", ","), "lazy,task_parallel,fuse");
  EXPECT_EQ(current_passes("share_children, lazy", ", "), "lazy");
  EXPECT_EQ(current_passes("share_children", ","), "");
}

}  // namespace
}  // namespace cavs
