#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// A view of a port of a set of graphs. It has the port's values at all vertices, or at all child slots.
struct PortView {
  const std::string& name;
  bool of_edges;
  std::int32_t width = 0;                      // size of a float row; 0 for an index port
  std::span<const std::int32_t> indices = {};  // [vertices or child slots]; empty for a float port
  std::span<const std::uint8_t> present = {};  // [vertices or child slots]: presence; empty for an index port
};

/// Returns the index ports and then the float ports of vertices, in schema order; then those of edges.
std::vector<PortView> ports_of(const GraphSet& graphs);

/// Returns the values of an index port of vertices; empty if there is no port of this name.
std::span<const std::int32_t> indices_at(const GraphSet& graphs, std::string_view port);

}  // namespace cavs::inline v0_1
