#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cavs/graph.h"

namespace cavs {

/// The input graph that a model evaluates for one sample.
struct BuiltGraph {
  InputGraph graph;
  std::vector<std::int32_t> outputs;  // [vertices of the sample]: the vertex that predicts its label; -1: none does
};

/// What a model makes of the graphs that data give: other types of vertices, and vertices and edges of its own. A pure
/// function of one sample, so neither order nor companions matter. One file each, and one line in the list.
struct GraphBuilder {
  std::string_view name;
  std::string_view doc;
  GraphSchema (*source)();  // of the graphs it takes
  GraphSchema (*target)();  // of those it makes
  BuiltGraph (*build)(const InputGraph& sample);
};

std::span<const GraphBuilder> all_graph_builders();
/// @throws UserError with a suggestion if there is none.
const GraphBuilder& find_graph_builder(std::string_view name);

/// The graphs of all samples. Those that are of the target's schema already stay as they are. `outputs` gets those of
/// all samples, one after the other; vertices are numbered as in their sample.
/// @throws UserError naming both schemas if the graphs are of neither. Cost: linear.
GraphSet build_graphs(GraphSet samples, const GraphBuilder& builder, std::vector<std::int32_t>* outputs = nullptr);

}  // namespace cavs
