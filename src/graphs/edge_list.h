#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// Many graphs as edges from a child to its parent. Vertices count from 0 through all samples.
struct EdgeList {
  std::span<const std::int64_t> sizes;          // [samples]: vertices of each
  std::span<const std::int64_t> child, parent;  // [edges]
};

/// What GraphSet::from_arrays takes, without types and ports: the children of a vertex are in the order of the edges.
struct GroupedEdges {
  std::vector<std::int64_t> sample_begin, child_offsets;
  std::vector<std::int32_t> children;
  std::vector<std::int64_t> edges;  // [slots]: the edge that stands at each
};

/// Checks only what grouping needs; from_arrays checks the graphs. @throws UserError for a sample without vertices, a
/// vertex that is none, an edge between two samples, or too many vertices. Cost: linear.
GroupedEdges group_edges(const EdgeList& list);

}  // namespace cavs::inline v0_1
