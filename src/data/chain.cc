#include <utility>

#include "cavs/readers.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns a chain: the child of vertex t is vertex t - 1.
InputGraph make_chain(std::vector<std::int32_t> words, std::vector<std::int32_t> labels) {
  user_check(words.size() < (std::size_t{1} << 31), "the chain has {} words; at most {} are possible", words.size(),
             (std::int64_t{1} << 31) - 1);
  const auto vertices = static_cast<std::int32_t>(words.size());
  InputGraph graph;
  graph.types.assign(vertices, 0);
  graph.child_offsets.assign(vertices + 1, 0);
  for (std::int32_t v = 1; v < vertices; ++v) {
    graph.children.push_back(v - 1);
    graph.child_offsets[v + 1] = v;
  }
  graph.index_pulls = {std::move(words), std::move(labels)};
  return graph;
}

}  // namespace

GraphSchema chain_schema() {
  return GraphSchema{.types = {"token"}, .index_ports = {"word", "label"}, .float_ports = {}};
}

InputGraph to_chain(std::int32_t before, std::span<const std::int32_t> words) {
  std::vector<std::int32_t> read;
  if (!words.empty()) {
    read.push_back(before);
    read.insert(read.end(), words.begin(), words.end() - 1);
  }
  return make_chain(std::move(read), {words.begin(), words.end()});
}

InputGraph to_tagged_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels) {
  user_check(words.size() == labels.size(), "the chain has {} words and {} labels; expected one label per word",
             words.size(), labels.size());
  return make_chain({words.begin(), words.end()}, {labels.begin(), labels.end()});
}

GraphSchema spelled_chain_schema() {
  return {.types = {"token", "character"}, .index_ports = {"word", "label", "character", "first", "last"}};
}

InputGraph to_spelled_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels,
                            std::span<const std::string> spellings) {
  user_check(spellings.size() == words.size(),
             "the chain has {} words and {} spellings; expected one spelling per word", words.size(), spellings.size());
  InputGraph graph = to_tagged_chain(words, labels);
  const auto tokens = static_cast<std::int32_t>(words.size());
  graph.index_pulls.resize(5, std::vector<std::int32_t>(tokens, -1));
  for (std::int32_t t = 0; t < tokens; ++t) {
    if (spellings[t].empty()) continue;
    const auto first = static_cast<std::int32_t>(graph.types.size());
    for (const unsigned char byte : spellings[t]) {
      const auto v = static_cast<std::int32_t>(graph.types.size());
      if (v > first) graph.children.push_back(v - 1);
      graph.types.push_back(1);
      graph.child_offsets.push_back(std::ssize(graph.children));
      for (auto& port : graph.index_pulls) port.push_back(-1);
      graph.index_pulls[2].back() = byte;
    }
    graph.index_pulls[0][t] = -1;
    graph.index_pulls[3][t] = first;
    graph.index_pulls[4][t] = static_cast<std::int32_t>(graph.types.size()) - 1;
  }
  return graph;
}

}  // namespace cavs::inline v0_1
