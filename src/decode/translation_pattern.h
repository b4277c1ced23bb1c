#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// The graph of a source sentence, and the children of decoder vertices.
struct TranslationPattern {
  static constexpr std::int32_t kBefore = -2;  // the child that is the previous decoder vertex

  InputGraph source;                // the graph of the sentence, without decoder vertices
  std::vector<std::int32_t> first;  // children of the first decoder vertex: vertices of `source`; -1 if absent
  std::vector<std::int32_t> next;   // children of every later decoder vertex: the same, or kBefore
};

/// The type of the vertices that produce the translation.
inline constexpr const char* kDecoder = "decoder";

/// Returns the pattern, derived from the training graph of the source and a target of two words. Valid for models whose
/// decoder vertices have only the previous decoder vertex and vertices of the source as children. @throws UserError for
/// other children. Cost: linear in the source.
TranslationPattern translation_pattern(std::span<const std::int32_t> source,
                                       const std::optional<GraphBuilder>& graph_builder);

}  // namespace cavs::inline v0_1
