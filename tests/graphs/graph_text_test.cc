#include <gmock/gmock.h>

#include "cavs/graph.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

TEST(GraphsFromText, GivesEveryGraphItsOwnIds) {
  const GraphSet graphs = graphs_from_text("0>2 1>2 | 3>4");
  EXPECT_EQ(graphs.size(), 2);
  EXPECT_THAT(graphs.vertex_begin(), ElementsAre(0, 3, 5));
  EXPECT_THAT(graphs.children(), ElementsAre(0, 1, 0));
  EXPECT_THAT(graphs.levels(), ElementsAre(0, 0, 1, 0, 1));
  EXPECT_THAT(graphs.schema().types, ElementsAre("vertex"));
}

TEST(GraphsFromText, KeepsTheOrderInWhichEdgesAreWritten) {
  EXPECT_THAT(graphs_from_text("2>0 1>0").children(), ElementsAre(2, 1));
}

TEST(GraphsFromText, AcceptsAVertexWithoutEdges) {
  const GraphSet graphs = graphs_from_text("5");
  EXPECT_EQ(graphs.vertices(), 1);
  EXPECT_EQ(graphs.edges(), 0);
}

TEST(GraphsFromText, ReportsWhatItCannotRead) {
  const std::string expected = "expected a vertex number such as 3, or an edge such as 0>2; found ";
  expect_mistakes({{"0>1 | 2>x", "1: " + expected + "'2>x'"},
                   {"-1", "0: " + expected + "'-1'"},
                   {"0>1>2", "0: " + expected + "'0>1>2'"},
                   {"0>1 | 1", "1: vertex 1 is also in an earlier graph; numbers are global"},
                   {"", "0: the graph has no vertex; a graph needs at least one vertex"}},
                  "text graph ", [](const std::string& text) { graphs_from_text(text); });
}

}  // namespace
}  // namespace cavs
