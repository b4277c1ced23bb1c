#include <algorithm>
#include <bit>
#include <numeric>

#include "graphs/graph_builders.h"
#include "graphs/topology.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the number of words below each vertex.
std::vector<std::int32_t> leaf_counts(const InputGraph& tree) {
  const std::vector<std::int32_t> levels = derive_topology(tree, "tree").levels;
  std::vector<std::int32_t> order(tree.types.size()), leaves(tree.types.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int32_t v) { return levels[v]; });
  for (const std::int32_t v : order) {
    for (std::int32_t k = tree.child_offsets[v]; k < tree.child_offsets[v + 1]; ++k)
      if (tree.children[k] >= 0) leaves[v] += leaves[tree.children[k]];
    leaves[v] = std::max(leaves[v], 1);
  }
  return leaves;
}

}  // namespace

GraphSchema thinking_tree_schema() {
  GraphSchema schema = tree_with_outputs_schema();
  schema.types.emplace_back("step");
  return schema;
}

/// Adds a chain of log2(n) steps (rounded down) above each vertex of n words, so that longer phrases get more
/// computation. The parent of the vertex reads the last step. This resembles adaptive computation time (Graves,
/// 2016), but the input decides the number of steps. Vertices keep their numbers; output vertices and steps follow.
BuiltGraph build_thinking_tree(const InputGraph& tree) {
  BuiltGraph built = build_tree_with_outputs(tree);
  InputGraph& graph = built.graph;
  const auto step = static_cast<std::int32_t>(tree_with_outputs_schema().types.size());
  const std::vector<std::int32_t> leaves = leaf_counts(tree);
  std::vector<std::int32_t> last(graph.types.size());
  std::iota(last.begin(), last.end(), 0);
  std::vector<std::int32_t> chains;  // [steps]: the child of each step
  for (std::size_t v = 0; v < leaves.size(); ++v)
    for (int left = std::bit_width(static_cast<std::uint32_t>(leaves[v])) - 1; left > 0; --left) {
      chains.push_back(last[v]);
      last[v] = static_cast<std::int32_t>(graph.types.size());
      graph.types.push_back(step);
    }
  for (std::int32_t& child : graph.children)
    if (child >= 0) child = last[child];
  for (const std::int32_t child : chains) {
    graph.children.push_back(child);
    graph.child_offsets.push_back(std::ssize(graph.children));
  }
  for (auto& port : graph.index_pulls) port.resize(graph.types.size(), -1);
  return built;
}

}  // namespace cavs::inline v0_1
