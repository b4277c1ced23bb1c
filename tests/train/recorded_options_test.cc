#include <gmock/gmock.h>

#include "cavs/checkpoint.h"

namespace cavs {
namespace {

using testing::StrEq;

TEST(RecordedOptions, DifferInBothDirections) {
  EXPECT_THAT(describe_differences({{"a", "1"}, {"b", "2"}}, {{"a", "1"}, {"b", "2"}}, {}), StrEq(""));
  EXPECT_THAT(describe_differences({{"a", "1"}}, {{"a", "3"}}, {}), StrEq("\n  a: 1 in the checkpoint, 3 here"));
  EXPECT_THAT(describe_differences({}, {{"a", "3"}}, {}), StrEq("\n  a: none in the checkpoint, 3 here"));
  EXPECT_THAT(describe_differences({{"a", "1"}}, {}, {}), StrEq("\n  a: 1 in the checkpoint, none here"));
}

TEST(RecordedOptions, RemovedOptionsDifferOnlyIfTheyChangedBits) {
  constexpr RemovedOption kRemoved[] = {{"pace", "slow"}, {"rows", "0"}};
  EXPECT_THAT(describe_differences({{"pace", "slow"}, {"rows", "0"}}, {}, kRemoved), StrEq(""));
  EXPECT_THAT(describe_differences({{"pace", "fast"}, {"rows", "0"}}, {}, kRemoved),
              StrEq("\n  pace: fast in the checkpoint; this version has no such option, and trains as with slow"));
}

TEST(RecordedOptions, OldNamesOfPassesAreTranslated) {
  EXPECT_EQ(current_passes(""), "");
  EXPECT_EQ(current_passes("lazy,side_by_side,fuse"), "lazy,task_parallel,fuse");
  EXPECT_EQ(current_passes("share_children, lazy"), "lazy");
  EXPECT_EQ(current_passes("share_children"), "");
}

}  // namespace
}  // namespace cavs
