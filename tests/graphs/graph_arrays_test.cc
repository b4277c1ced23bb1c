#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <utility>

#include "cavs/graph.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

GraphSchema box_schema() {
  return {.types = {"leaf", "inner"}, .index_ports = {"word", "label"}, .float_ports = {{.name = "box", .width = 2}}};
}

/// Three graphs: vertex 2 over 0 and 1; vertex 0 over an absent child and 1; one vertex.
GraphArrays three_graphs() {
  return {.sample_begin = {0, 3, 5, 6},
          .types = {0, 0, 1, 1, 0, 0},
          .child_offsets = {0, 0, 0, 2, 4, 4, 4},
          .children = {0, 1, -1, 1},
          .index_pulls = {{3, 7, -1, 0, 1, 2}, {-1, -1, 2, 4, -1, -1}},
          .float_pulls = {{1, 2, 0, 0, 5, 6, 7, 8, 9, 10, 0, 0}},
          .float_present = {{1, 0, 1, 1, 1, 0}}};
}

InputGraph part_of(const GraphArrays& arrays, std::int64_t begin, std::int64_t end) {
  InputGraph graph;
  graph.types.assign(arrays.types.begin() + begin, arrays.types.begin() + end);
  const std::int64_t first = arrays.child_offsets[begin];
  for (std::int64_t v = begin; v <= end; ++v)
    graph.child_offsets.push_back(static_cast<std::int32_t>(arrays.child_offsets[v] - first));
  graph.children.assign(arrays.children.begin() + first, arrays.children.begin() + arrays.child_offsets[end]);
  for (const auto& port : arrays.index_pulls) graph.index_pulls.emplace_back(port.begin() + begin, port.begin() + end);
  const auto& numbers = arrays.float_pulls[0];
  const auto& present = arrays.float_present[0];
  graph.float_pulls.emplace_back(numbers.begin() + 2 * begin, numbers.begin() + 2 * end);
  graph.float_present.emplace_back(present.begin() + begin, present.begin() + end);
  return graph;
}

GraphSet added_one_by_one() {
  GraphSet set(box_schema());
  const GraphArrays arrays = three_graphs();
  for (std::size_t s = 0; s + 1 < arrays.sample_begin.size(); ++s)
    set.add(part_of(arrays, arrays.sample_begin[s], arrays.sample_begin[s + 1]));
  return set;
}

void expect_same(const GraphSet& a, const GraphSet& b) {
  const GraphArrays x = a.to_arrays(), y = b.to_arrays();
  EXPECT_EQ(x.sample_begin, y.sample_begin);
  EXPECT_EQ(x.types, y.types);
  EXPECT_EQ(x.child_offsets, y.child_offsets);
  EXPECT_EQ(x.children, y.children);
  EXPECT_EQ(x.index_pulls, y.index_pulls);
  EXPECT_EQ(x.float_pulls, y.float_pulls);
  EXPECT_EQ(x.float_present, y.float_present);
  EXPECT_TRUE(std::ranges::equal(a.parent_begin(), b.parent_begin()));
  EXPECT_TRUE(std::ranges::equal(a.parents(), b.parents()));
  EXPECT_TRUE(std::ranges::equal(a.levels(), b.levels()));
}

TEST(GraphArrays, GiveTheSameSetAsAddingGraphsOneByOne) {
  expect_same(GraphSet::from_arrays(box_schema(), three_graphs()), added_one_by_one());
  const GraphArrays arrays = three_graphs();
  expect_same(GraphSet::over_arrays(box_schema(), view_of(arrays)), added_one_by_one());
}

TEST(GraphArrays, MayBeEmpty) {
  const GraphSet set = GraphSet::from_arrays({}, {.sample_begin = {0}, .child_offsets = {0}});
  EXPECT_EQ(set.size(), 0);
  EXPECT_EQ(set.vertices(), 0);
}

TEST(GraphArrays, AreMovedAndNormalised) {
  GraphArrays arrays = three_graphs();
  arrays.float_pulls[0][2] = std::numeric_limits<float>::quiet_NaN();
  arrays.float_present[0][0] = 7;
  const std::int32_t* const types = arrays.types.data();
  const GraphSet set = GraphSet::from_arrays(box_schema(), std::move(arrays));
  EXPECT_EQ(set.types().data(), types);
  expect_same(set, added_one_by_one());
  arrays = three_graphs();
  arrays.float_present.clear();
  const GraphSet all_present = GraphSet::from_arrays(box_schema(), std::move(arrays));
  EXPECT_EQ(all_present.to_arrays().float_present[0], std::vector<std::uint8_t>(6, 1));
}

TEST(GraphArrays, AreReadInPlace) {
  const GraphArrays arrays = three_graphs();
  const GraphSet set = GraphSet::over_arrays(box_schema(), view_of(arrays));
  const GraphSet copy = set;  // NOLINT: copies read the same arrays
  for (const GraphSet* s : {&set, &copy}) {
    EXPECT_EQ(s->vertex_begin().data(), arrays.sample_begin.data());
    EXPECT_EQ(s->types().data(), arrays.types.data());
    EXPECT_EQ(s->child_begin().data(), arrays.child_offsets.data());
    EXPECT_EQ(s->children().data(), arrays.children.data());
    for (std::size_t p = 0; p < 2; ++p) EXPECT_EQ(s->index_pulls(p).data(), arrays.index_pulls[p].data());
    EXPECT_EQ(s->float_pulls(0).data(), arrays.float_pulls[0].data());
    EXPECT_EQ(s->float_present(0).data(), arrays.float_present[0].data());
  }
}

TEST(GraphArrays, AreNotWrittenIfTheSetGrows) {
  const GraphArrays arrays = three_graphs();
  GraphSet set = GraphSet::over_arrays(box_schema(), view_of(arrays));
  set.add(part_of(arrays, 0, 3));
  EXPECT_EQ(set.size(), 4);
  EXPECT_NE(set.types().data(), arrays.types.data());
  const GraphArrays before = three_graphs();
  EXPECT_EQ(arrays.types, before.types);
  EXPECT_EQ(arrays.children, before.children);
  EXPECT_EQ(arrays.float_pulls, before.float_pulls);
  EXPECT_EQ(arrays.float_present, before.float_present);
  GraphSet expected = added_one_by_one();
  expected.add(part_of(arrays, 0, 3));
  expect_same(set, expected);
}

/// The error of both ways of passing the arrays.
std::string error_of_arrays(const std::function<void(GraphArrays&)>& spoil, GraphLimits limits = {}) {
  GraphArrays arrays = three_graphs();
  spoil(arrays);
  const std::string kept = error_of([&] { GraphSet::over_arrays(box_schema(), view_of(arrays), limits, "f.npz"); });
  EXPECT_EQ(error_of([&] { GraphSet::from_arrays(box_schema(), arrays, limits, "f.npz"); }), kept);
  return kept;
}

TEST(GraphArrays, ReportBadArrays) {
  EXPECT_EQ(error_of_arrays([](auto& a) { a.sample_begin.clear(); }),
            "f.npz: sample_begin has no entry; expected one per sample and the end");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.sample_begin[0] = 1; }), "f.npz: sample_begin starts at 1; expected 0");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.sample_begin[1] = 6; }),
            "f.npz: sample_begin falls from 6 to 5 at sample 1; expected ascending positions");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.sample_begin[3] = 7; }),
            "f.npz: sample_begin ends at 7; expected 6, the number of vertices");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.child_offsets.pop_back(); }),
            "f.npz: child_offsets has 6 entries; expected 7, one per vertex and the end");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.children.pop_back(); }),
            "f.npz: child_offsets ends at 4; expected 3, the number of child slots");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.float_present[0].pop_back(); }),
            "f.npz: float_present of port 'box' has 5 entries; expected 6, one per vertex, or none");
}

TEST(GraphArrays, NameTheVertexAndTheSampleOfAnError) {
  EXPECT_EQ(error_of_arrays([](auto& a) {
              a.sample_begin = {0, 3, 3, 6};
            }),
            "f.npz, sample 1: the graph has no vertex; a graph needs at least one vertex");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.types[4] = 2; }),
            "f.npz, sample 1: vertex 1 has type 2; expected the index of one of the 2 types (leaf, inner)");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.child_offsets[5] = 3; }),
            "f.npz, sample 1: child_offsets falls from 4 to 3 at vertex 1; expected ascending offsets");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.children[3] = 2; }),
            "f.npz, sample 1: child 1 of vertex 0 is 2; expected a vertex 0 to 1, or -1 if absent");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.children[3] = 0; }),
            "f.npz, sample 1: vertex 0 is its own child; input graphs must be acyclic");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.index_pulls[0][4] = -5; }),
            "f.npz, sample 1: index port 'word' of vertex 1 is -5; expected an index from 0, or -1 if absent");
  EXPECT_EQ(error_of_arrays([](auto& a) { a.float_pulls[0][9] = std::numeric_limits<float>::infinity(); }),
            "f.npz, sample 1: float port 'box' of vertex 1 holds inf at position 1; expected finite numbers");
}

TEST(GraphArrays, ObeyTheLimitsOfEveryGraph) {
  const std::vector<std::pair<GraphLimits, std::string>> cases{
      {{.vertices = 2}, "the graph has 3 vertices; at most 2 are allowed (GraphLimits::vertices)"},
      {{.edges = 1}, "the graph has 2 child slots; at most 1 are allowed (GraphLimits::edges)"},
      {{.arity = 1}, "vertex 2 has 2 child slots; at most 1 are allowed (GraphLimits::arity)"},
      {{.depth = 1}, "the longest path has 2 vertices; at most 1 are allowed (GraphLimits::depth)"}};
  for (const auto& [limits, says] : cases) EXPECT_EQ(error_of_arrays([](auto&) {}, limits), "f.npz, sample 0: " + says);
}

TEST(GraphArrays, StoreZerosForAbsentRows) {
  const auto message = [](const std::function<void(GraphArrays&)>& spoil) {
    GraphArrays arrays = three_graphs();
    spoil(arrays);
    return error_of([&] { GraphSet::over_arrays(box_schema(), view_of(arrays)); });
  };
  EXPECT_EQ(message([](auto& a) { a.float_pulls[0][3] = 4; }),
            "graphs: float port 'box' of vertex 1 (counted over all graphs) is absent, but holds 4 at position 1; "
            "expected zeros in arrays that are used without a copy (GraphSet::from_arrays takes any)");
  EXPECT_EQ(message([](auto& a) { a.float_present[0][2] = 2; }),
            "graphs: float_present of port 'box' is 2 at vertex 2 (counted over all graphs); expected 0 or 1 in arrays "
            "that are used without a copy");
}

TEST(GraphArrays, ManyGraphsTakeLinearTime) {
  GraphArrays arrays{.sample_begin = {0}, .child_offsets = {0}};
  for (std::int64_t s = 0; s < 300'000; ++s) {
    arrays.types.insert(arrays.types.end(), {0, 0});
    arrays.children.push_back(1);
    arrays.child_offsets.insert(arrays.child_offsets.end(), {s + 1, s + 1});
    arrays.sample_begin.push_back(2 * s + 2);
  }
  const GraphSet set =
      GraphSet::from_arrays({.types = {"vertex"}, .index_ports = {}, .float_ports = {}}, std::move(arrays));
  EXPECT_EQ(set.size(), 300'000);
  EXPECT_EQ(set.parents().size(), 300'000U);
}

}  // namespace
}  // namespace cavs
