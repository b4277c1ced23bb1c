#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// The one word whose head is -1. @throws UserError ("name:line: ...") if there is none or more than one, a head is not
/// a word of the sentence, or the heads of a word lead back to it. Messages count words from 1, as files do.
std::int32_t find_root(std::span<const std::int32_t> heads, const std::string& name, std::int64_t line);

/// Appends the words of a sentence as vertices, in their order, each with its dependents as children in theirs. Types
/// are `leaf` where there is none, else `inner`. `heads`: of find_root's form. Cost: linear.
void append_dependency_tree(std::span<const std::int32_t> heads, std::int32_t leaf, std::int32_t inner,
                            InputGraph& graph);

/// The dependency tree of a sentence, of tree_schema(): vertex t is word t.
InputGraph to_dependency_graph(std::span<const std::int32_t> heads, std::span<const std::int32_t> words,
                               std::span<const std::int32_t> labels);

/// Two trees and how near their meanings are: types "node" and "pair" (the last vertex, whose children are the roots),
/// index port "word", float port "score" of the pair.
GraphSchema tree_pair_schema();

/// A sentence as its tree and the ids of its words.
struct WordTree {
  std::vector<std::int32_t> heads, words;  // of one length
  std::int32_t root = 0;
};

/// A graph of tree_pair_schema(). The score may be absent.
InputGraph to_tree_pair(const WordTree& first, const WordTree& second, std::optional<float> score);

}  // namespace cavs::inline v0_1
