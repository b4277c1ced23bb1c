#include "data/dependency_graph.h"

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

enum PairType : std::int32_t { kNode, kPair };

}  // namespace

std::int32_t find_root(std::span<const std::int32_t> heads, const std::string& name, std::int64_t line) {
  std::int32_t root = -1;
  for (std::int32_t t = 0; t < std::ssize(heads); ++t) {
    user_check(heads[t] < std::ssize(heads) && heads[t] >= -1,
               "{}:{}: word {} has the head {}; the sentence has {} words", name, line, t + 1,
               std::int64_t{heads[t]} + 1, heads.size());
    if (heads[t] >= 0) continue;
    user_check(root < 0, "{}:{}: words {} and {} are both roots (head 0); expected one root", name, line, root + 1,
               t + 1);
    root = t;
  }
  user_check(root >= 0, "{}:{}: no word is the root (head 0); expected one root", name, line);
  std::vector<std::int32_t> from(heads.size(), -1);  // [words]: first word of the walk that reached this word; -1: none
  for (std::int32_t start = 0; start < std::ssize(heads); ++start) {
    std::int32_t word = start;
    for (; word >= 0 && from[word] < 0; word = heads[word]) from[word] = start;
    user_check(word < 0 || from[word] != start,
               "{}:{}: the heads of word {} form a cycle; its head is {}; expected heads that lead to the root", name,
               line, word + 1, word < 0 ? 0 : heads[word] + 1);
  }
  return root;
}

void append_dependency_tree(std::span<const std::int32_t> heads, std::int32_t leaf, std::int32_t inner,
                            InputGraph& graph) {
  if (graph.child_offsets.empty()) graph.child_offsets.push_back(0);
  const auto first = static_cast<std::int32_t>(graph.types.size()),
             slots = static_cast<std::int32_t>(graph.child_offsets.back());
  std::vector<std::int32_t> offsets(heads.size() + 1, slots);
  for (const std::int32_t head : heads)
    if (head >= 0) ++offsets[head + 1];
  for (std::size_t t = 1; t < offsets.size(); ++t) offsets[t] += offsets[t - 1] - slots;
  graph.children.resize(offsets.back());
  std::vector<std::int32_t> next(offsets.begin(), offsets.end() - 1);
  for (std::int32_t t = 0; t < std::ssize(heads); ++t)
    if (heads[t] >= 0) graph.children[next[heads[t]]++] = first + t;
  for (std::size_t t = 0; t < heads.size(); ++t) {
    graph.types.push_back(offsets[t] == offsets[t + 1] ? leaf : inner);
    graph.child_offsets.push_back(offsets[t + 1]);
  }
}

InputGraph to_dependency_graph(std::span<const std::int32_t> heads, std::span<const std::int32_t> words,
                               std::span<const std::int32_t> labels) {
  InputGraph graph;
  append_dependency_tree(heads, 0, 1, graph);
  graph.index_pulls = {{words.begin(), words.end()}, {labels.begin(), labels.end()}};
  return graph;
}

GraphSchema tree_pair_schema() {
  return {.types = {"node", "pair"}, .index_ports = {"word"}, .float_ports = {{"score", 1}}};
}

InputGraph to_tree_pair(const WordTree& first, const WordTree& second, std::optional<float> score) {
  InputGraph graph;
  append_dependency_tree(first.heads, kNode, kNode, graph);
  append_dependency_tree(second.heads, kNode, kNode, graph);
  graph.children.insert(graph.children.end(),
                        {first.root, static_cast<std::int32_t>(first.heads.size()) + second.root});
  graph.types.push_back(kPair);
  graph.child_offsets.push_back(std::ssize(graph.children));
  std::vector<std::int32_t> words = first.words;
  words.insert(words.end(), second.words.begin(), second.words.end());
  words.push_back(-1);
  graph.index_pulls = {std::move(words)};
  graph.float_pulls = {std::vector<float>(graph.types.size(), 0.0F)};
  graph.float_present = {std::vector<std::uint8_t>(graph.types.size(), 0)};
  if (score) {
    graph.float_pulls[0].back() = *score;
    graph.float_present[0].back() = 1;
  }
  return graph;
}

}  // namespace cavs::inline v0_1
