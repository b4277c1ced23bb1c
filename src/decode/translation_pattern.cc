#include "decode/translation_pattern.h"

#include <algorithm>

#include "cavs/readers.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

std::span<const std::int32_t> children_of(const InputGraph& graph, std::int32_t vertex) {
  const std::int32_t begin = graph.child_offsets[vertex];
  return std::span(graph.children).subspan(begin, graph.child_offsets[vertex + 1] - begin);
}

/// Returns the graph without its decoder vertices. @param decoder  Their type. @param number  Receives [vertices]: the
/// number of the vertex in the result; -1 for decoder vertices.
InputGraph source_part(const InputGraph& graph, std::int32_t decoder, std::vector<std::int32_t>& number) {
  InputGraph source;
  source.child_offsets = {0};
  source.index_pulls.resize(graph.index_pulls.size());
  std::int32_t count = 0;
  for (const std::int32_t type : graph.types) number.push_back(type == decoder ? -1 : count++);
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(graph.types.size()); ++v) {
    if (number[v] < 0) continue;
    source.types.push_back(graph.types[v]);
    for (const std::int32_t child : children_of(graph, v)) {
      user_check(child < 0 || number[child] >= 0,
                 "a vertex of the source has a decoder vertex as child, so the source cannot be evaluated first; "
                 "expected children in the source");
      source.children.push_back(child < 0 ? -1 : number[child]);
    }
    source.child_offsets.push_back(std::ssize(source.children));
    for (std::size_t port = 0; port < graph.index_pulls.size(); ++port)
      source.index_pulls[port].push_back(graph.index_pulls[port][v]);
  }
  return source;
}

}  // namespace

TranslationPattern translation_pattern(std::span<const std::int32_t> source,
                                       const std::optional<GraphBuilder>& graph_builder) {
  const std::vector<std::int32_t> target{0, 0};
  InputGraph graph = to_translation(source, 0, target);
  if (graph_builder) graph = graph_builder->build(graph).graph;
  const auto types = (graph_builder ? graph_builder->target : translation_schema()).types;
  const auto decoder = static_cast<std::int32_t>(std::ranges::find(types, kDecoder) - types.begin());
  user_check(std::ranges::count(graph.types, decoder) == 2,
             "the model's graph of two target words has {} vertices of type '{}'; expected 2, one per word",
             std::ranges::count(graph.types, decoder), kDecoder);
  const auto found = std::ranges::find(graph.types, decoder);
  const auto first = static_cast<std::int32_t>(found - graph.types.begin());
  const auto second = static_cast<std::int32_t>(std::find(found + 1, graph.types.end(), decoder) - graph.types.begin());
  TranslationPattern pattern;
  std::vector<std::int32_t> number;
  pattern.source = source_part(graph, decoder, number);
  for (const std::int32_t child : children_of(graph, first)) {
    user_check(child < 0 || number[child] >= 0, "the first decoder vertex has a decoder vertex as child");
    pattern.first.push_back(child < 0 ? -1 : number[child]);
  }
  for (const std::int32_t child : children_of(graph, second))
    pattern.next.push_back(child == first ? TranslationPattern::kBefore : child < 0 ? -1 : number[child]);
  return pattern;
}

}  // namespace cavs::inline v0_1
