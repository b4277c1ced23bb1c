#include "graphs/topology.h"

#include <algorithm>
#include <span>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kCycleShown = 12;  // maximum number of vertices of a cycle in a message

/// Makes the list of parents of each child. Vertices are visited in ascending order, so the lists are ascending.
void derive_parents(const GraphShape& graph, Topology& topology) {
  const auto vertices = graph.vertices();
  auto& offsets = topology.parent_offsets;
  offsets.assign(vertices + 1, 0);
  for (std::int32_t child : graph.children)
    if (child >= 0) ++offsets[child + 1];
  for (std::int32_t v = 0; v < vertices; ++v) offsets[v + 1] += offsets[v];
  topology.parents.resize(offsets[vertices]);
  std::vector<std::int32_t> next(offsets.begin(), offsets.end() - 1);
  for (std::int32_t v = 0; v < vertices; ++v)
    for (std::int32_t child : graph.children_of(v))
      if (child >= 0) topology.parents[next[child]++] = v;
}

/// Finds a cycle from child to parent that begins at its smallest vertex. `open[v]` > 0 marks vertices that the order
/// did not reach. Each of them has such a child, so a walk from child to child reaches a vertex twice.
std::vector<std::int32_t> find_cycle(const GraphShape& graph, const std::vector<std::int32_t>& open) {
  std::vector<std::int32_t> path, position(open.size(), -1);
  auto v =
      static_cast<std::int32_t>(std::find_if(open.begin(), open.end(), [](auto n) { return n > 0; }) - open.begin());
  while (position[v] < 0) {
    position[v] = static_cast<std::int32_t>(path.size());
    path.push_back(v);
    const auto children = graph.children_of(v);
    v = *std::find_if(children.begin(), children.end(), [&](auto c) { return c >= 0 && open[c] > 0; });
  }
  path.erase(path.begin(), path.begin() + position[v]);
  std::reverse(path.begin(), path.end());
  std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
  return path;
}

[[noreturn]] void report_cycle(const std::vector<std::int32_t>& cycle, const Place& where) {
  if (cycle.size() == 1)
    user_error("{}: vertex {} is its own child; input graphs must be acyclic", where, cycle.front());
  std::string path;
  for (std::size_t i = 0; i < std::min(cycle.size(), kCycleShown); ++i) path += fmt::format("{} -> ", cycle[i]);
  if (cycle.size() > kCycleShown) path += fmt::format("... {} more -> ", cycle.size() - kCycleShown);
  user_error("{}: vertex {} is its own ancestor ({}{}){}; input graphs must be acyclic", where, cycle.front(), path,
             cycle.front(), cycle.size() == 2 ? ", because there are edges in both directions" : "");
}

}  // namespace

Topology derive_topology(const GraphShape& graph, const Place& place) {
  Topology topology;
  derive_parents(graph, topology);
  const auto vertices = graph.vertices();
  topology.levels.assign(vertices, 0);
  std::vector<std::int32_t> open(vertices), order;  // open: child slots not yet in `order`
  order.reserve(vertices);
  for (std::int32_t v = 0; v < vertices; ++v) {
    for (std::int32_t child : graph.children_of(v)) open[v] += child >= 0 ? 1 : 0;
    if (open[v] == 0) order.push_back(v);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int32_t v = order[i], level = topology.levels[v];
    topology.depth = std::max(topology.depth, level + 1);
    for (std::int32_t e = topology.parent_offsets[v]; e < topology.parent_offsets[v + 1]; ++e) {
      const std::int32_t parent = topology.parents[e];
      topology.levels[parent] = std::max(topology.levels[parent], level + 1);
      if (--open[parent] == 0) order.push_back(parent);
    }
  }
  if (order.size() != graph.types.size()) report_cycle(find_cycle(graph, open), place);
  return topology;
}

}  // namespace cavs::inline v0_1
