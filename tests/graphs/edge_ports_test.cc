// Edge input of a data set is kept unchanged and checked. Errors name the sample, the vertex and the child.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <utility>

#include "cavs/graph.h"
#include "graphs/error_text.h"
#include "graphs/graph_builders.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

GraphSchema bond_schema() {
  return {.types = {"atom"}, .edge_index_ports = {"order"}, .edge_float_ports = {{.name = "bond", .width = 2}}};
}

/// Two graphs: vertex 2 over 0 and 1; vertex 0 over an absent child and 1. The third edge has no bond.
GraphArrays two_graphs() {
  return {.sample_begin = {0, 3, 5},
          .types = {0, 0, 0, 0, 0},
          .child_offsets = {0, 0, 0, 2, 4, 4},
          .children = {0, 1, -1, 1},
          .edge_index_pulls = {{3, -1, -1, 2}},
          .edge_float_pulls = {{1, 2, 3, 4, 0, 0, 0, 0}},
          .edge_float_present = {{1, 1, 0, 0}}};
}

TEST(EdgePorts, AreKeptWithEveryWayToAddGraphs) {
  const GraphArrays arrays = two_graphs();
  const GraphSet from = GraphSet::from_arrays(bond_schema(), two_graphs());
  const GraphSet over = GraphSet::over_arrays(bond_schema(), view_of(arrays));
  GraphSet added(bond_schema()), again(bond_schema());
  added.add({.types = {0, 0, 0},
             .child_offsets = {0, 0, 0, 2},
             .children = {0, 1},
             .edge_index_pulls = {{3, -1}},
             .edge_float_pulls = {{1, 2, 3, 4}}});
  added.add({.types = {0, 0},
             .child_offsets = {0, 2, 2},
             .children = {-1, 1},
             .edge_index_pulls = {{-1, 2}},
             .edge_float_pulls = {{kNan, kNan, 5, 6}},
             .edge_float_present = {{1, 0}}});
  for (std::int32_t s = 0; s < added.size(); ++s) again.add(sample_of(added, s));
  for (const GraphSet* set : {&from, &over, &std::as_const(added), &std::as_const(again)}) {
    EXPECT_THAT(set->edge_index_pulls(0), ElementsAre(3, -1, -1, 2));
    EXPECT_THAT(set->edge_float_pulls(0), ElementsAre(1, 2, 3, 4, 0, 0, 0, 0));
    EXPECT_THAT(set->edge_float_present(0), ElementsAre(1, 1, 0, 0));
  }
  EXPECT_EQ(over.edge_index_pulls(0).data(), arrays.edge_index_pulls[0].data());
  EXPECT_EQ(over.edge_float_pulls(0).data(), arrays.edge_float_pulls[0].data());
  EXPECT_EQ(GraphSet::from_arrays(bond_schema(), over.to_arrays()).to_arrays().edge_float_present,
            arrays.edge_float_present);
}

TEST(EdgePorts, EveryEdgeHasARowIfPresenceIsNotGiven) {
  GraphArrays arrays = two_graphs();
  arrays.edge_float_present.clear();
  arrays.edge_float_pulls[0] = {1, 2, 3, 4, 0, 0, 5, 6};
  EXPECT_THAT(GraphSet::over_arrays(bond_schema(), view_of(arrays)).edge_float_present(0), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(GraphSet::from_arrays(bond_schema(), std::move(arrays)).edge_float_present(0), ElementsAre(1, 1, 0, 1));
}

std::string bond_complaint(const std::function<void(GraphArrays&)>& spoil) {
  GraphArrays arrays = two_graphs();
  spoil(arrays);
  return error_of([&] { GraphSet::from_arrays(bond_schema(), std::move(arrays), {}, "f.npz"); });
}

TEST(EdgePorts, ReportBadArrays) {
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_index_pulls.clear(); }),
            "f.npz: the graph has 0 edge index ports; expected 1 (order)");
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_index_pulls[0].pop_back(); }),
            "f.npz: edge index port 'order' has 3 values; expected 4, one per child slot");
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_float_pulls.emplace_back(); }),
            "f.npz: the graph has 2 edge float ports; expected 1");
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_float_pulls[0].push_back(1); }),
            "f.npz: edge float port 'bond' has 9 numbers; expected 8 (4 child slots of width 2)");
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_float_present.emplace_back(); }),
            "f.npz: edge_float_present has 2 ports; expected 1, or none");
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_float_present[0].pop_back(); }),
            "f.npz: edge_float_present of port 'bond' has 3 entries; expected 4, one per child slot, or none");
}

TEST(EdgePorts, NameTheEdgeAndTheSampleOfAnError) {
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_index_pulls[0][3] = -2; }),
            "f.npz, sample 1: edge index port 'order' of child 1 of vertex 0 is -2; expected an index from 0, or -1 if "
            "absent");
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_index_pulls[0][2] = 1; }),
            "f.npz, sample 1: edge index port 'order' of child 0 of vertex 0 is 1, but the child is absent; expected "
            "-1 there");
  EXPECT_EQ(bond_complaint([](auto& a) { a.edge_float_pulls[0][3] = kNan; }),
            "f.npz, sample 0: edge float port 'bond' of child 1 of vertex 2 holds nan at position 1; expected finite "
            "numbers, or an absent row; if only some numbers of a row are missing, use a port per number");
}

TEST(EdgePorts, StoreZerosForAbsentRows) {
  const auto message = [](const std::function<void(GraphArrays&)>& spoil) {
    GraphArrays arrays = two_graphs();
    spoil(arrays);
    return error_of([&] { GraphSet::over_arrays(bond_schema(), view_of(arrays)); });
  };
  EXPECT_THAT(
      message([](auto& a) { a.edge_float_pulls[0][7] = 4; }),
      HasSubstr(
          "edge float port 'bond' of child slot 3 (counted over all graphs) is absent, but holds 4 at position 1"));
  EXPECT_THAT(message([](auto& a) {
                a.edge_float_pulls[0][4] = 4;
                a.edge_float_present.clear();
              }),
              HasSubstr("child slot 2 (counted over all graphs) is absent"));
  EXPECT_THAT(
      message([](auto& a) { a.edge_float_present[0][1] = 2; }),
      HasSubstr("edge_float_present of port 'bond' is 2 at child slot 1 (counted over all graphs); expected 0 or 1"));
  EXPECT_THAT(message([](auto& a) { a.edge_float_present[0][2] = 1; }), HasSubstr("whose child is absent; expected 0"));
}

TEST(EdgePorts, CannotHaveTheNameOfAnotherPort) {
  const auto message = [](GraphSchema wrong) { return error_of([&] { GraphSet graphs(std::move(wrong)); }); };
  EXPECT_EQ(message({.types = {"a"}, .index_ports = {"x"}, .edge_index_ports = {"x"}}),
            "graph schema: two ports are named 'x'");
  EXPECT_EQ(message({.types = {"a"}, .edge_index_ports = {"x"}, .edge_float_ports = {{"x", 1}}}),
            "graph schema: two ports are named 'x'");
  EXPECT_EQ(message({.types = {"a"}, .edge_float_ports = {{"x", 0}}}),
            "graph schema: float port 'x' has width 0; expected at least 1");
}

TEST(EdgePorts, TreeBuildersNameThePortsThatTheyDoNotSupport) {
  GraphSchema tree = tree_schema();
  tree.edge_index_ports = {"relation"};
  EXPECT_THAT(error_of([&] { build_graphs(GraphSet(tree), find_graph_builder("tree-with-outputs")); }),
              HasSubstr("relation (edges)"));
}

}  // namespace
}  // namespace cavs
