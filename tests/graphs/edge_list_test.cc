#include <gmock/gmock.h>

#include "cavs/graph.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GroupedEdges group(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& child,
                   const std::vector<std::int64_t>& parent) {
  return group_edges({sizes, child, parent});
}

TEST(EdgeList, GroupsChildrenByParentInTheOrderOfTheEdges) {
  const GroupedEdges grouped = group({3, 3}, {4, 1, 3, 0}, {5, 2, 5, 2});
  EXPECT_THAT(grouped.sample_begin, ElementsAre(0, 3, 6));
  EXPECT_THAT(grouped.child_offsets, ElementsAre(0, 0, 0, 2, 2, 2, 4));
  EXPECT_THAT(grouped.children, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(grouped.edges, ElementsAre(1, 3, 0, 2));
}

TEST(EdgeList, KeepsAChildThatIsListedTwice) { EXPECT_THAT(group({2}, {0, 0}, {1, 1}).children, ElementsAre(0, 0)); }

TEST(EdgeList, ReportsInvalidEdges) {
  EXPECT_THAT(error_of([] { group({3}, {0}, {}); }), HasSubstr("1 children and 0 parents"));
  EXPECT_THAT(error_of([] { group({3, 0}, {}, {}); }), HasSubstr("sizes has 0 at position 1"));
  EXPECT_THAT(error_of([] { group({3, -2}, {}, {}); }), HasSubstr("sizes has -2 at position 1"));
  EXPECT_THAT(error_of([] { group({3}, {3}, {0}); }), HasSubstr("edge 0 has vertex 3; expected 0 to 2"));
  EXPECT_THAT(error_of([] { group({3}, {0}, {-1}); }), HasSubstr("edge 0 has vertex -1"));
  EXPECT_THAT(error_of([] {
                group({2, 2}, {0, 1}, {1, 2});
              }),
              HasSubstr("edge 1 joins vertices 1 and 2 of samples 0 and 1"));
  EXPECT_THAT(error_of([] { group({3, INT32_MAX}, {}, {}); }), HasSubstr("at position 1; expected 1 to 50000000"));
}

}  // namespace
}  // namespace cavs
