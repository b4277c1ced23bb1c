#include <utility>

#include "cavs/data.h"
#include "support/check.h"

namespace cavs {
namespace {

/// Vertex t has child t - 1.
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
  if (!words.empty()) read.push_back(before), read.insert(read.end(), words.begin(), words.end() - 1);
  return make_chain(std::move(read), {words.begin(), words.end()});
}

InputGraph to_tagged_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels) {
  user_check(words.size() == labels.size(), "the chain has {} words and {} labels; expected one each", words.size(),
             labels.size());
  return make_chain({words.begin(), words.end()}, {labels.begin(), labels.end()});
}

}  // namespace cavs
