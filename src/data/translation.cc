#include "cavs/readers.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

GraphSchema translation_schema() {
  return {.types = {"encoder", "decoder"}, .index_ports = {"word", "label"}, .float_ports = {}};
}

InputGraph to_translation(std::span<const std::int32_t> source, std::int32_t before,
                          std::span<const std::int32_t> target) {
  user_check(!source.empty() && !target.empty(), "the pair has {} and {} words; expected at least one word each",
             source.size(), target.size());
  const std::size_t vertices = source.size() + target.size();
  user_check(vertices < (std::size_t{1} << 31), "the pair has {} words; at most {} are possible", vertices,
             (std::int64_t{1} << 31) - 1);
  InputGraph graph;
  graph.types.assign(source.size(), 0);
  graph.types.resize(vertices, 1);
  graph.child_offsets.assign(vertices + 1, 0);
  std::vector<std::int32_t> words(source.begin(), source.end()), labels(source.size(), -1);
  words.push_back(before);
  words.insert(words.end(), target.begin(), target.end() - 1);
  labels.insert(labels.end(), target.begin(), target.end());
  for (std::size_t v = 1; v < vertices; ++v) {
    graph.children.push_back(static_cast<std::int32_t>(v) - 1);
    graph.child_offsets[v + 1] = static_cast<std::int32_t>(v);
  }
  graph.index_pulls = {std::move(words), std::move(labels)};
  return graph;
}

}  // namespace cavs::inline v0_1
