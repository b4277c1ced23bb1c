#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/graph_shape.h"

namespace cavs::inline v0_1 {

/// Properties derived from the children of one graph.
struct Topology {
  std::vector<std::int32_t> parent_offsets;  // [vertices + 1]: positions in `parents`
  std::vector<std::int32_t> parents;         // for each vertex, its parents in the order of (parent, child slot)
  std::vector<std::int32_t> levels;          // [vertices]: 0 for a leaf, else 1 + the largest level of a child
  std::int32_t depth = 0;                    // number of vertices on the longest path
};

/// Derives the topology of a graph. check_graph must have checked its sizes and ids.
/// @throws UserError that describes a cycle. Cost: linear in vertices + edges; no recursion.
Topology derive_topology(const GraphShape& graph, const Place& place);
inline Topology derive_topology(const InputGraph& graph, const Place& place) {
  return derive_topology(shape_of(graph), place);
}

}  // namespace cavs::inline v0_1
