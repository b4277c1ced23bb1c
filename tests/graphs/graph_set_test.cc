#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <utility>

#include "cavs/graph.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

GraphSchema small_schema() {
  return {.types = {"leaf", "inner"}, .index_ports = {"word", "label"}, .float_ports = {{.name = "box", .width = 2}}};
}

/// Vertex 2 over 0 and 1.
InputGraph small_tree() {
  InputGraph graph;
  graph.types = {0, 0, 1};
  graph.child_offsets = {0, 0, 0, 2};
  graph.children = {0, 1};
  graph.index_pulls = {{3, 7, -1}, {-1, -1, 2}};
  graph.float_pulls = {{1, 2, 3, 4, 5, 6}};
  graph.float_present = {{1, 0, 2}};
  return graph;
}

/// The error of add() for the small tree after `spoil`, without the location at its start.
std::string complaint(const std::function<void(InputGraph&)>& spoil, GraphLimits limits = {}) {
  GraphSet graphs(small_schema(), limits);
  InputGraph graph = small_tree();
  spoil(graph);
  const std::string message = error_of([&] { graphs.add(graph, "g:7"); });
  EXPECT_EQ(graphs.size(), 0);
  EXPECT_THAT(message, testing::StartsWith("g:7: "));
  return message.substr(std::min<std::size_t>(message.size(), 5));
}

TEST(GraphSet, ConcatenatesTheArraysOfAllGraphs) {
  GraphSet graphs(small_schema());
  graphs.add(small_tree());
  graphs.add(small_tree());
  EXPECT_EQ(graphs.size(), 2);
  EXPECT_EQ(graphs.vertices(), 6);
  EXPECT_EQ(graphs.edges(), 4);
  EXPECT_THAT(graphs.vertex_begin(), ElementsAre(0, 3, 6));
  EXPECT_THAT(graphs.types(), ElementsAre(0, 0, 1, 0, 0, 1));
  EXPECT_THAT(graphs.child_begin(), ElementsAre(0, 0, 0, 2, 2, 2, 4));
  EXPECT_THAT(graphs.children(), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(graphs.parent_begin(), ElementsAre(0, 1, 2, 2, 3, 4, 4));
  EXPECT_THAT(graphs.parents(), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(graphs.levels(), ElementsAre(0, 0, 1, 0, 0, 1));
  EXPECT_THAT(graphs.to_arrays().index_pulls,
              ElementsAre(ElementsAre(3, 7, -1, 3, 7, -1), ElementsAre(-1, -1, 2, -1, -1, 2)));
}

TEST(GraphSet, MakesAbsentFloatRowsZeroAndPresenceZeroOrOne) {
  GraphSet graphs(small_schema());
  InputGraph graph = small_tree();
  graph.float_pulls[0][2] = std::numeric_limits<float>::quiet_NaN();  // in the absent row
  graphs.add(graph);
  EXPECT_THAT(graphs.to_arrays().float_pulls, ElementsAre(ElementsAre(1, 2, 0, 0, 5, 6)));
  EXPECT_THAT(graphs.to_arrays().float_present, ElementsAre(ElementsAre(1, 0, 1)));
}

TEST(GraphSet, AssumesThatFloatRowsArePresentByDefault) {
  for (auto present : {std::vector<std::vector<std::uint8_t>>{}, std::vector<std::vector<std::uint8_t>>{{}}}) {
    GraphSet graphs(small_schema());
    InputGraph graph = small_tree();
    graph.float_present = present;
    graphs.add(graph);
    EXPECT_THAT(graphs.to_arrays().float_present, ElementsAre(ElementsAre(1, 1, 1)));
    EXPECT_THAT(graphs.to_arrays().float_pulls, ElementsAre(ElementsAre(1, 2, 3, 4, 5, 6)));
  }
}

TEST(GraphSet, ListsParentsInOrderOncePerSlot) {
  const GraphSet graphs = graphs_from_text("0>3 0>1 0>1 1>3");
  // Vertex 0 has parents 1, 1 and 3; vertex 1 has parent 3 (3 is local id 2).
  EXPECT_THAT(graphs.parents(), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(graphs.parent_begin(), ElementsAre(0, 3, 4, 4));
}

TEST(GraphSet, IgnoresAbsentChildrenInParentsAndLevels) {
  GraphSet graphs(small_schema());
  InputGraph graph = small_tree();
  graph.children = {-1, 1};
  graphs.add(graph);
  EXPECT_EQ(graphs.edges(), 2);
  EXPECT_THAT(graphs.parents(), ElementsAre(2));
  EXPECT_THAT(graphs.levels(), ElementsAre(0, 0, 1));
  graph.children = {-1, -1};
  graphs.add(graph);
  EXPECT_EQ(graphs.levels().back(), 0);
}

TEST(GraphSet, NamesTheVerticesOfACycleFromChildToParent) {
  GraphSet graphs(GraphSchema{.types = {"vertex"}, .index_ports = {}, .float_ports = {}});
  InputGraph graph;
  graph.types.assign(7, 0);
  graph.child_offsets = {0, 0, 0, 0, 1, 3, 3, 4};
  graph.children = {0, 6, 1, 4};  // vertex 3 over 0, vertex 4 over 6 and 1, vertex 6 over 4
  EXPECT_EQ(
      error_of([&] { graphs.add(graph, "trees.jsonl:17"); }),
      "trees.jsonl:17: vertex 4 is its own ancestor (4 -> 6 -> 4), because there are edges in both directions; input "
      "graphs must be acyclic");
  EXPECT_EQ(graphs.size(), 0);
}

TEST(GraphSet, NamesAVertexThatIsItsOwnChild) {
  EXPECT_EQ(complaint([](auto& g) { g.children = {0, 2}; }), "vertex 2 is its own child; input graphs must be acyclic");
}

TEST(GraphSet, FindsTheCycleBelowVerticesThatOnlyDependOnIt) {
  EXPECT_EQ(error_of([] { graphs_from_text("3>0 1>3 2>1 3>2 4>3"); }),
            "text graph 0: vertex 1 is its own ancestor (1 -> 3 -> 2 -> 1); input graphs must be acyclic");
}

TEST(GraphSet, ShortensALongCycle) {
  std::string text = "999>0";
  for (int v = 0; v < 999; ++v) text += fmt::format(" {}>{}", v, v + 1);
  EXPECT_EQ(error_of([&] { graphs_from_text(text); }),
            "text graph 0: vertex 0 is its own ancestor (0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 -> 10 -> 11 -> "
            "... 988 more -> 0); input graphs must be acyclic");
}

TEST(GraphSet, ReportsBadVertices) {
  EXPECT_EQ(complaint([](auto& g) { g = {}; }), "the graph has no vertex; a graph needs at least one vertex");
  EXPECT_EQ(complaint([](auto& g) { g.types[1] = 2; }),
            "vertex 1 has type 2; expected the index of one of the 2 types (leaf, inner)");
  EXPECT_EQ(complaint([](auto& g) { g.types[0] = -1; }),
            "vertex 0 has type -1; expected the index of one of the 2 types (leaf, inner)");
}

TEST(GraphSet, ReportsBadOffsets) {
  EXPECT_EQ(complaint([](auto& g) {
              g.child_offsets = {0, 0, 2};
            }),
            "child_offsets has 3 entries; expected 4, one per vertex and the end");
  EXPECT_EQ(complaint([](auto& g) { g.child_offsets = {1, 1, 1, 2}; }), "child_offsets starts at 1; expected 0");
  EXPECT_EQ(complaint([](auto& g) {
              g.child_offsets = {0, 2, 1, 2};
            }),
            "child_offsets falls from 2 to 1 at vertex 1; expected ascending offsets");
  EXPECT_EQ(complaint([](auto& g) {
              g.child_offsets = {0, 0, 0, 3};
            }),
            "child_offsets ends at 3; expected 2, the number of child slots");
}

TEST(GraphSet, ObeysTheLimits) {
  const std::vector<std::pair<GraphLimits, std::string>> cases{
      {{.vertices = 2}, "the graph has 3 vertices; at most 2 are allowed (GraphLimits::vertices)"},
      {{.edges = 1}, "the graph has 2 child slots; at most 1 are allowed (GraphLimits::edges)"},
      {{.arity = 1}, "vertex 2 has 2 child slots; at most 1 are allowed (GraphLimits::arity)"},
      {{.depth = 1}, "the longest path has 2 vertices; at most 1 are allowed (GraphLimits::depth)"}};
  for (const auto& [limits, says] : cases) EXPECT_EQ(complaint([](auto&) {}, limits), says);
}

TEST(GraphSet, NamesAChildOutOfRange) {
  for (const std::int32_t child : {3, -2})
    EXPECT_EQ(complaint([=](auto& g) { g.children[1] = child; }),
              fmt::format("child 1 of vertex 2 is {}; expected a vertex 0 to 2, or -1 if absent", child));
}

TEST(GraphSet, ReportsABadPull) {
  EXPECT_EQ(complaint([](auto& g) { g.index_pulls.pop_back(); }),
            "the graph has 1 index ports; expected 2 (word, label)");
  EXPECT_EQ(complaint([](auto& g) { g.index_pulls[1].pop_back(); }),
            "index port 'label' has 2 values; expected 3, one per vertex");
  EXPECT_EQ(complaint([](auto& g) { g.index_pulls[0][1] = -5; }),
            "index port 'word' of vertex 1 is -5; expected an index from 0, or -1 if absent");
  EXPECT_EQ(complaint([](auto& g) { g.float_pulls.clear(); }), "the graph has 0 float ports; expected 1");
  EXPECT_EQ(complaint([](auto& g) { g.float_pulls[0].pop_back(); }),
            "float port 'box' has 5 numbers; expected 6 (3 vertices of width 2)");
  EXPECT_EQ(complaint([](auto& g) { g.float_present.emplace_back(); }),
            "float_present has 2 ports; expected 1, or none");
  EXPECT_EQ(complaint([](auto& g) { g.float_present[0] = {1}; }),
            "float_present of port 'box' has 1 entries; expected 3, one per vertex, or none");
}

TEST(GraphSet, RefusesNumbersThatAreNotFinite) {
  EXPECT_EQ(complaint([](auto& g) { g.float_pulls[0][5] = std::numeric_limits<float>::quiet_NaN(); }),
            "float port 'box' of vertex 2 holds nan at position 1; expected finite numbers, or an absent row; if only "
            "some numbers of a row are missing, use a port per number");
  EXPECT_EQ(complaint([](auto& g) { g.float_pulls[0][0] = -std::numeric_limits<float>::infinity(); }),
            "float port 'box' of vertex 0 holds -inf at position 0; expected finite numbers");
}

TEST(GraphSet, IsUnchangedAfterARefusedGraph) {
  GraphSet graphs(small_schema());
  graphs.add(small_tree());
  InputGraph wrong = small_tree();
  wrong.children = {0, 2};
  EXPECT_THROW(graphs.add(wrong), UserError);
  EXPECT_EQ(graphs.size(), 1);
  EXPECT_EQ(graphs.vertices(), 3);
  EXPECT_THAT(graphs.parents(), ElementsAre(2, 2));
  EXPECT_EQ(graphs.index_pulls(0).size(), 3U);
  EXPECT_EQ(graphs.float_pulls(0).size(), 6U);
}

TEST(GraphSet, RefusesInvalidSchemas) {
  const auto message = [](GraphSchema schema) { return error_of([&] { GraphSet graphs(std::move(schema)); }); };
  EXPECT_EQ(message({.types = {"a", "a"}, .index_ports = {}, .float_ports = {}}),
            "graph schema: two vertex types are named 'a'");
  EXPECT_EQ(message({.types = {""}, .index_ports = {}, .float_ports = {}}), "graph schema: a vertex type has no name");
  EXPECT_EQ(message({.types = {"a"}, .index_ports = {"x"}, .float_ports = {{.name = "x", .width = 1}}}),
            "graph schema: two ports are named 'x'");
  EXPECT_EQ(message({.types = {"a"}, .index_ports = {}, .float_ports = {{.name = "x", .width = 0}}}),
            "graph schema: float port 'x' has width 0; expected at least 1");
}

InputGraph chain(std::int32_t vertices) {
  InputGraph graph;
  graph.types.assign(vertices, 0);
  graph.child_offsets.push_back(0);
  for (std::int32_t v = 0; v < vertices; ++v) {
    if (v + 1 < vertices) graph.children.push_back(v + 1);
    graph.child_offsets.push_back(std::ssize(graph.children));
  }
  return graph;
}

GraphSchema bare_schema() { return {.types = {"vertex"}, .index_ports = {}, .float_ports = {}}; }

TEST(GraphSet, AcceptsAChainOfAMillionVertices) {
  GraphSet graphs(bare_schema());
  graphs.add(chain(1'000'000));
  EXPECT_EQ(graphs.levels().front(), 999'999);
  EXPECT_EQ(graphs.levels().back(), 0);
  EXPECT_EQ(graphs.parents()[0], 0);
}

TEST(GraphSet, AcceptsAVertexOfTenThousandChildren) {
  GraphSet graphs(bare_schema());
  InputGraph graph;
  graph.types.assign(10'001, 0);
  graph.child_offsets.assign(10'002, 10'000);
  graph.child_offsets[0] = 0;
  for (std::int32_t v = 1; v <= 10'000; ++v) graph.children.push_back(v);
  graphs.add(graph);
  EXPECT_EQ(graphs.levels().front(), 1);
  EXPECT_EQ(graphs.parents().size(), 10'000U);
  EXPECT_THAT(graphs.parents(), testing::Each(0));
}

TEST(GraphSet, AddsManySmallGraphsInLinearTime) {
  GraphSet graphs(small_schema());
  const InputGraph graph = small_tree();
  for (int i = 0; i < 200'000; ++i) graphs.add(graph);  // in quadratic time the suite would time out
  EXPECT_EQ(graphs.vertices(), 600'000);
}

}  // namespace
}  // namespace cavs
