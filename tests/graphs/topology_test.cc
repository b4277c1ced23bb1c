#include "graphs/topology.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "data/generators.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

InputGraph any_dag() {
  RandomDagOptions options;
  options.vertices = *rc::gen::inRange(1, 60);
  options.max_arity = *rc::gen::inRange(1, 6);
  options.leaf = static_cast<float>(*rc::gen::inRange(0, 10)) / 10;
  options.absent = static_cast<float>(*rc::gen::inRange(0, 5)) / 10;
  return generate_dag(options, *rc::gen::arbitrary<std::uint64_t>(), 0);
}

/// Pairs (child, parent), one for every slot with a child.
std::vector<std::pair<int, int>> edges_of(const InputGraph& graph) {
  std::vector<std::pair<int, int>> edges;
  for (std::size_t v = 0; v < graph.types.size(); ++v)
    for (int slot = graph.child_offsets[v]; slot < graph.child_offsets[v + 1]; ++slot)
      if (graph.children[slot] >= 0) edges.emplace_back(graph.children[slot], static_cast<int>(v));
  return edges;
}

TEST(Topology, TheLevelIsOneMoreThanTheLargestOfTheChildren) {
  EXPECT_TRUE(rc::check([] {
    const InputGraph graph = any_dag();
    const Topology topology = derive_topology(graph, "dag");
    std::vector<int> levels(graph.types.size(), 0);
    for (auto [child, parent] : edges_of(graph)) levels[parent] = std::max(levels[parent], topology.levels[child] + 1);
    RC_ASSERT(topology.levels == levels);
    RC_ASSERT(topology.depth == 1 + *std::max_element(levels.begin(), levels.end()));
  }));
}

TEST(Topology, ParentsAreTheTransposeOfTheChildrenInAscendingOrder) {
  EXPECT_TRUE(rc::check([] {
    const InputGraph graph = any_dag();
    const Topology topology = derive_topology(graph, "dag");
    std::vector<std::pair<int, int>> transposed;
    for (std::size_t v = 0; v < graph.types.size(); ++v)
      for (int e = topology.parent_offsets[v]; e < topology.parent_offsets[v + 1]; ++e)
        transposed.emplace_back(v, topology.parents[e]);
    auto edges = edges_of(graph);
    std::sort(edges.begin(), edges.end());
    RC_ASSERT(transposed == edges);
  }));
}

TEST(Topology, ReportsAnEdgeFromAnAncestorAsACycle) {
  EXPECT_TRUE(rc::check([] {
    InputGraph graph = any_dag();
    const auto edges = edges_of(graph);
    RC_PRE(!edges.empty());
    const auto [child, parent] = edges[*rc::gen::inRange<std::size_t>(0, edges.size())];
    graph.children.insert(graph.children.begin() + graph.child_offsets[child + 1], parent);
    for (std::size_t v = child + 1; v < graph.child_offsets.size(); ++v) ++graph.child_offsets[v];
    const std::string message = error_of([&] { derive_topology(graph, "dag"); });
    RC_ASSERT(message.find("is its own ancestor (") != std::string::npos);
    RC_ASSERT(message.find("; input graphs must be acyclic") != std::string::npos);
  }));
}

}  // namespace
}  // namespace cavs
