#include "support/table.h"

#include <gtest/gtest.h>

namespace cavs {
namespace {

TEST(AlignColumns, MakesColumnsAsWideAsTheirWidestCell) {
  EXPECT_EQ(align_columns({{"a", "b"}, {"long", "c"}, {"x"}}), "a     b\nlong  c\nx\n");
}

TEST(AlignColumns, LeavesOutEmptyColumns) {
  EXPECT_EQ(align_columns({{"a", "", "b"}, {"c", "", "d"}}, "> "), "> a  b\n> c  d\n");
}

TEST(AlignColumns, AnEmptyTableGivesAnEmptyText) { EXPECT_EQ(align_columns({}), ""); }

}  // namespace
}  // namespace cavs
