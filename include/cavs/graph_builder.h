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
  std::vector<std::int32_t> outputs;  // [vertices of the sample]: the vertex that predicts its label; -1: none does
};

/// Makes the graphs that a model evaluates from those of the data: other types of vertices, additional vertices and
/// edges. A pure function of one sample. Each named builder is one file and one line in the list.
struct GraphBuilder {
  std::string name;
  std::string doc;
  GraphSchema source;  // of the graphs it takes
  GraphSchema target;  // of those it makes
  std::function<BuiltGraph(const InputGraph& sample)> build;
};

std::span<const GraphBuilder> all_graph_builders();
/// @throws UserError with a suggestion if there is none.
const GraphBuilder& find_graph_builder(std::string_view name);

/// Makes the graphs of a network (Model::connect) of graphs of `source`: for each vertex function in turn, a vertex
/// over each vertex that it runs over. Its children are the rows that connections give, then its own: what the data's
/// children (in reverse: parents) are to the function, or to the one that scatters for it over a vertex of another
/// type. It has the data's input where its function pulls it, or pushes to the outside.
/// @throws UserError if the network is none (find_network), or runs over a type or reads a port that `source` lacks.
/// A vertex of the sample predicts what the first function over it pushes at `output`; nothing where none does.
GraphBuilder network_builder(const Model& model, const GraphSchema& source, std::string_view output = "logits");

/// The builder of this name; without a name that of the model, if it is a network; else none.
std::optional<GraphBuilder> graph_builder_for(std::string_view name, const Model* model, const GraphSchema& source);

/// The graphs of all samples. Graphs that already have the target's schema are returned as they are. `outputs` gets
/// those of all samples, one after the other; vertices are numbered as in their sample.
/// @throws UserError naming both schemas if the graphs are of neither. Cost: linear.
GraphSet build_graphs(GraphSet samples, const GraphBuilder& builder, std::vector<std::int32_t>* outputs = nullptr);

}  // namespace cavs
