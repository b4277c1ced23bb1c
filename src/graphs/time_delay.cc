#include <algorithm>
#include <cstdint>
#include <limits>
#include <ranges>

#include "graphs/graph_builders.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

std::int32_t root_of(const InputGraph& tree) {
  std::vector<char> is_child(tree.types.size(), 0);
  for (const std::int32_t child : tree.children)
    if (child >= 0) is_child[child] = 1;
  const auto roots = std::ranges::count(is_child, 0);
  user_check(roots == 1 && std::ssize(tree.children) + 1 == std::ssize(tree.types),
             "a time-delay model needs trees; found a graph of {} vertices with {} roots and {} children",
             tree.types.size(), roots, tree.children.size());
  return static_cast<std::int32_t>(std::ranges::find(is_child, 0) - is_child.begin());
}

/// Returns the leaves from left to right. Uses no recursion.
std::vector<std::int32_t> leaves_of(const InputGraph& tree, std::int32_t root) {
  std::vector<std::int32_t> leaves, open{root};
  while (!open.empty()) {
    const std::int32_t v = open.back(), begin = tree.child_offsets[v], end = tree.child_offsets[v + 1];
    open.pop_back();
    if (begin == end) leaves.push_back(v);
    for (std::int32_t slot = end; slot > begin; --slot) open.push_back(tree.children[slot - 1]);
  }
  return leaves;
}

}  // namespace

/// Builds a triangle (VPPS, section IV-E): a level of n leaves, then levels of n - 1, n - 2, ... 1 vertices, each above
/// two neighbours of the level below, and an output vertex with the label of the root. The graph has n (n + 1) / 2 + 1
/// vertices.
BuiltGraph build_time_delay(const InputGraph& tree) {
  enum Type : std::int32_t { kLeaf, kInner, kOutput };  // types of tree_with_outputs_schema()
  const std::int32_t root = root_of(tree);
  const std::vector<std::int32_t> leaves = leaves_of(tree, root);
  const std::int64_t n = std::ssize(leaves), joined = n * (n + 1) / 2;
  user_check(joined < std::numeric_limits<std::int32_t>::max(),
             "a time-delay model needs {} vertices for a sentence of {} words; expected shorter sentences", joined, n);
  BuiltGraph built{.graph = {}, .outputs = std::vector<std::int32_t>(tree.types.size(), -1)};
  InputGraph& graph = built.graph;
  graph.child_offsets.push_back(0);
  const auto add = [&](Type type, std::initializer_list<std::int32_t> children) {
    graph.types.push_back(type);
    graph.children.insert(graph.children.end(), children);
    graph.child_offsets.push_back(std::ssize(graph.children));
    return static_cast<std::int32_t>(graph.types.size()) - 1;
  };
  for (std::int64_t i = 0; i < n; ++i) add(kLeaf, {});
  for (std::int64_t width = n - 1, below = 0; width > 0; below += width + 1, --width)
    for (std::int64_t i = below; i < below + width; ++i)
      add(kInner, {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i) + 1});
  built.outputs[root] = add(kOutput, {static_cast<std::int32_t>(joined) - 1});
  graph.index_pulls.assign(2, std::vector<std::int32_t>(graph.types.size(), -1));
  for (std::int64_t i = 0; i < n; ++i) graph.index_pulls[0][i] = tree.index_pulls[0][leaves[i]];
  graph.index_pulls[1].back() = tree.index_pulls[1][root];
  return built;
}

}  // namespace cavs::inline v0_1
