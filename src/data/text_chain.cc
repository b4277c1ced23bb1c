#include "data/text_chain.h"

#include <utility>

namespace cavs::inline v0_1 {
namespace {

void add_vertex(std::int32_t word, std::span<const std::int32_t> children, InputGraph& graph) {
  graph.types.push_back(children.empty() ? 0 : 1);
  graph.children.insert(graph.children.end(), children.begin(), children.end());
  graph.child_offsets.push_back(std::ssize(graph.children));
  graph.index_pulls[0].push_back(word);
}

/// Appends the chain of the words to `graph`. Returns the vertex of the last word.
std::int32_t add_chain(std::span<const std::int32_t> words, InputGraph& graph) {
  std::vector<std::int32_t> before;
  for (const std::int32_t word : words) {
    add_vertex(word, before, graph);
    before = {static_cast<std::int32_t>(graph.types.size()) - 1};
  }
  return before.front();
}

}  // namespace

InputGraph to_text_graph(std::span<const std::vector<std::int32_t>> texts) {
  InputGraph graph{.child_offsets = {0}, .index_pulls = {{}, {}}};
  std::vector<std::int32_t> ends;
  for (const auto& words : texts) ends.push_back(add_chain(words, graph));
  if (ends.size() > 1) add_vertex(-1, ends, graph);
  graph.index_pulls[1].assign(graph.types.size(), -1);
  return graph;
}

WordTree to_word_chain(std::vector<std::int32_t> words) {
  WordTree tree{.heads = {}, .words = std::move(words), .root = 0};
  tree.root = static_cast<std::int32_t>(tree.words.size()) - 1;
  for (std::int32_t t = 1; t <= tree.root; ++t) tree.heads.push_back(t);
  tree.heads.push_back(-1);
  return tree;
}

}  // namespace cavs::inline v0_1
