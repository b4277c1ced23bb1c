#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// The graph of a source sentence, and how a decoder goes on from it.
struct TranslationPattern {
  static constexpr std::int32_t kBefore = -2;  // stands for the decoder vertex before

  InputGraph source;                // without decoder vertices
  std::vector<std::int32_t> first;  // children of the first decoder vertex: vertices of the source, -1: absent
  std::vector<std::int32_t> next;   // of every other one: kBefore among them
};

/// The type of the vertices that say the translation.
inline constexpr const char* kDecoder = "decoder";

/// Found from the graph that training would have for a target of two words, so it holds for any model whose decoder
/// vertices have the one before and vertices of the source as children.
/// @throws UserError if they have others. Cost: linear in the source.
TranslationPattern translation_pattern(std::span<const std::int32_t> source,
                                       const std::optional<GraphBuilder>& graph_builder);

}  // namespace cavs::inline v0_1
