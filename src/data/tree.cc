#include <limits>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

std::int32_t Tree::add(std::int32_t parent, std::string_view word, std::int32_t label) {
  user_check(parents.size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
             "the tree has too many vertices; at most {} are possible", std::numeric_limits<std::int32_t>::max());
  parents.push_back(parent);
  labels.push_back(label);
  text += word;
  word_ends.push_back(static_cast<std::int64_t>(text.size()));
  return size() - 1;
}

InputGraph to_graph(const Tree& tree, const Vocabulary& words) {
  const std::int32_t vertices = tree.size();
  InputGraph graph;
  graph.child_offsets.assign(vertices + 1, 0);
  for (std::int32_t v = 1; v < vertices; ++v) ++graph.child_offsets[tree.parents[v] + 1];
  for (std::int32_t v = 0; v < vertices; ++v) graph.child_offsets[v + 1] += graph.child_offsets[v];
  graph.children.resize(graph.child_offsets.back());
  std::vector<std::int32_t> next(graph.child_offsets.begin(), graph.child_offsets.end() - 1);
  for (std::int32_t v = 1; v < vertices; ++v) graph.children[next[tree.parents[v]]++] = v;
  std::vector<std::int32_t> ids(vertices, -1);
  graph.types.resize(vertices);
  for (std::int32_t v = 0; v < vertices; ++v) {
    graph.types[v] = graph.child_offsets[v + 1] > graph.child_offsets[v] ? 1 : 0;
    if (const auto word = tree.word(v); !word.empty()) ids[v] = words.id(word);
  }
  graph.index_pulls = {std::move(ids), tree.labels};
  return graph;
}

}  // namespace cavs::inline v0_1
