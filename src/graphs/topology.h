#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/graph_shape.h"

namespace cavs::inline v0_1 {

/// Properties derived from the children of one graph.
struct Topology {
  std::vector<std::int32_t> parent_offsets;  // [V + 1]
  std::vector<std::int32_t> parents;         // ordered by (parent, slot) for each child
  std::vector<std::int32_t> levels;          // [V]
  std::int32_t depth = 0;                    // number of vertices on the longest path
};

/// Sizes and ids of the graph must have been checked (check_graph).
/// @throws UserError naming a cycle. Cost: linear in vertices + edges; no recursion.
Topology derive_topology(const GraphShape& graph, const Place& place);
inline Topology derive_topology(const InputGraph& graph, const Place& place) {
  return derive_topology(shape_of(graph), place);
}

}  // namespace cavs::inline v0_1
