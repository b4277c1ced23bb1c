#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cavs/graph.h"
#include "data/dependency_graph.h"

namespace cavs::inline v0_1 {

/// Returns one or two texts as a graph with tree_schema(). Each word is a vertex whose child is the preceding word. For
/// two texts there is one more vertex, without a word, whose children are the last words of the texts. The last vertex
/// represents the sample; no vertex has a label.
/// @param texts  ids of the words, at least one per text
InputGraph to_text_graph(std::span<const std::vector<std::int32_t>> texts);

/// Returns the chain of a text as a tree of words, for a graph of tree_pair_schema().
WordTree to_word_chain(std::vector<std::int32_t> words);

}  // namespace cavs::inline v0_1
