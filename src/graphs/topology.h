#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/graph_shape.h"

namespace cavs::inline v0_1 {

/// What follows from the children of one graph.
struct Topology {
  std::vector<std::int32_t> parent_offsets;  // [V + 1]
  std::vector<std::int32_t> parents;         // ascending (parent, slot) for every child
  std::vector<std::int32_t> levels;          // [V]
  std::int32_t depth = 0;                    // vertices on the longest path
};

/// Before: sizes and ids of the graph are checked (check_graph).
/// @throws UserError naming a cycle. Cost: linear in vertices + edges; no recursion.
Topology derive_topology(const GraphShape& graph, const Place& place);
inline Topology derive_topology(const InputGraph& graph, const Place& place) {
  return derive_topology(shape_of(graph), place);
}

}  // namespace cavs::inline v0_1
