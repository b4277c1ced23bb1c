#pragma once

#include <utility>

#include "helpers/graphs.h"

namespace cavs {

/// Number of different integers on each edge port, and width of port "bond".
inline constexpr std::int32_t kRelations = 6, kBondWidth = 3;

/// Returns dressed_schema with ports of edges: integers "relation" and "kind", and "bond" with three numbers.
inline GraphSchema edge_schema(std::vector<std::string> types = {"vertex"}) {
  GraphSchema schema = dressed_schema(std::move(types));
  schema.edge_index_ports = {"relation", "kind"};
  schema.edge_float_ports = {{"bond", kBondWidth}};
  return schema;
}

/// Returns dressed graphs with a relation, a kind and a bond at every edge. Each of these is absent at some edges.
inline GraphSet with_edges(const GraphSet& graphs, std::uint64_t seed = 1) {
  Numbers numbers(seed);
  GraphArrays arrays = graphs.to_arrays();
  const std::size_t slots = arrays.children.size();
  arrays.edge_index_pulls.assign(2, std::vector<std::int32_t>(slots, -1));
  arrays.edge_float_pulls.assign(1, std::vector<float>(slots * kBondWidth));
  arrays.edge_float_present.assign(1, std::vector<std::uint8_t>(slots, 0));
  for (std::size_t k = 0; k < slots; ++k) {
    if (arrays.children[k] < 0) continue;
    for (auto& port : arrays.edge_index_pulls) port[k] = numbers.below(4) == 0 ? -1 : numbers.below(kRelations);
    arrays.edge_float_present[0][k] = numbers.below(4) != 0;
    for (int i = 0; i < kBondWidth; ++i)
      arrays.edge_float_pulls[0][k * kBondWidth + i] = static_cast<float>(numbers.uniform(-1, 1));
  }
  return GraphSet::from_arrays(edge_schema(graphs.schema().types), std::move(arrays));
}

}  // namespace cavs
