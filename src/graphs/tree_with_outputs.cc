#include <numeric>
#include <utility>

#include "graphs/graph_builders.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kLabel = 1;  // number of an index port of tree_schema()

}  // namespace

GraphSchema tree_with_outputs_schema() {
  GraphSchema schema = tree_schema();
  schema.types.emplace_back("output");
  return schema;
}

/// Adds an output vertex with its label above each vertex (ED-Batch, Figure 1(a)). Vertices keep their numbers.
BuiltGraph build_tree_with_outputs(const InputGraph& tree) {
  const auto vertices = static_cast<std::int32_t>(tree.types.size());
  const auto output = static_cast<std::int32_t>(tree_schema().types.size());
  BuiltGraph built{.graph = tree, .outputs = std::vector<std::int32_t>(vertices)};
  InputGraph& graph = built.graph;
  graph.types.resize(2 * static_cast<std::size_t>(vertices), output);
  for (std::int32_t v = 0; v < vertices; ++v) {
    graph.children.push_back(v);
    graph.child_offsets.push_back(std::ssize(graph.children));
  }
  for (auto& port : graph.index_pulls) port.resize(graph.types.size(), -1);
  auto& labels = graph.index_pulls[kLabel];
  for (std::int32_t v = 0; v < vertices; ++v) std::swap(labels[v], labels[vertices + v]);
  std::iota(built.outputs.begin(), built.outputs.end(), vertices);
  return built;
}

}  // namespace cavs::inline v0_1
