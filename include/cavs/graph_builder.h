#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/model.h"

namespace cavs {

/// The input graph that a model evaluates for one sample.
struct BuiltGraph {
  InputGraph graph;
  std::vector<std::int32_t> outputs;  // [vertices of the sample]: the vertex that predicts its label; -1: none
};

/// Makes the graphs that a model evaluates from those of the data: other types of vertices, additional vertices and
/// edges. A pure function of one sample. Each named builder is one file and one line in the list.
struct GraphBuilder {
  std::string name;
  std::string doc;
  GraphSchema source;  // of the graphs that it takes
  GraphSchema target;  // of the graphs that it makes
  std::function<BuiltGraph(const InputGraph& sample)> build;
};

std::span<const GraphBuilder> all_graph_builders();
/// @throws UserError with a suggestion if there is none.
const GraphBuilder& find_graph_builder(std::string_view name);

/// Makes the graphs that a network (Model::connect) evaluates from graphs of the schema `source`. For each vertex
/// function in turn, it makes a vertex over each vertex of the data that the function runs over. The children of such a
/// vertex are, in this order: one for each connected pull; then, for each child in the data (in reverse: parent), the
/// vertex of the same function over that child, or, where the function does not run, of the only function there that
/// scatters all that it gathers; last, all rows of a RowMap::all(). Edges of the data keep their input, in both
/// directions; other edges have none. A function that pushes an output of the model gets all input of its data
/// vertices, any other only the ports that it pulls. The prediction for a vertex of the sample is that of the first
/// function over it that pushes `output`.
/// @throws UserError if the connections do not fit, or if `source` lacks a type or a port that the network reads.
GraphBuilder network_builder(const Model& model, const GraphSchema& source, std::string_view output = "logits");

/// The builder of this name. If the name is empty: the network_builder of `model`, if that is a network, else none.
std::optional<GraphBuilder> graph_builder_for(std::string_view name, const Model* model, const GraphSchema& source);

/// Builds the graphs of all samples. Graphs that already have the schema `target` are returned as they are. `outputs`
/// gets BuiltGraph::outputs of all samples, one after the other, with vertices numbered from 0 in each sample.
/// @throws UserError naming both schemas if the graphs have neither. Cost: linear.
GraphSet build_graphs(GraphSet samples, const GraphBuilder& builder, std::vector<std::int32_t>* outputs = nullptr);

}  // namespace cavs
