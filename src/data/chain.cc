#include "cavs/data.h"
#include "support/check.h"

namespace cavs {

GraphSchema chain_schema() {
  return GraphSchema{.types = {"token"}, .index_ports = {"word", "label"}, .float_ports = {}};
}

InputGraph to_chain(std::int32_t before, std::span<const std::int32_t> words) {
  user_check(words.size() < (std::size_t{1} << 31), "the chain has {} words; at most {} are possible", words.size(),
             (std::int64_t{1} << 31) - 1);
  const auto vertices = static_cast<std::int32_t>(words.size());
  InputGraph graph;
  graph.types.assign(vertices, 0);
  graph.child_offsets.assign(vertices + 1, 0);
  std::vector<std::int32_t> read(vertices, before);
  for (std::int32_t v = 1; v < vertices; ++v) {
    graph.children.push_back(v - 1);
    graph.child_offsets[v + 1] = v;
    read[v] = words[v - 1];
  }
  graph.index_pulls = {std::move(read), {words.begin(), words.end()}};
  return graph;
}

}  // namespace cavs
