#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cavs/graph.h"
#include "data/dependency_graph.h"

namespace cavs::inline v0_1 {

/// A text, or two, as a graph of tree_schema(): each word is a vertex over the one before it. Two texts have one more
/// vertex, without a word, over the last words of both. The last vertex stands for the sample; no vertex has a label.
/// @param texts  the numbers of their words, at least one of each
InputGraph to_text_graph(std::span<const std::vector<std::int32_t>> texts);

/// The same chain as a tree of words, for a graph of tree_pair_schema().
WordTree to_word_chain(std::vector<std::int32_t> words);

}  // namespace cavs::inline v0_1
