#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// Returns the only word whose head is -1. @throws UserError ("name:line: ...") if there is no such word or more than
/// one, if a head is not a word of the sentence, or if heads form a cycle. Messages count words from 1, as files do.
std::int32_t find_root(std::span<const std::int32_t> heads, const std::string& name, std::int64_t line);

/// Appends the words of a sentence as vertices, in sentence order. The children of a word are its dependents, in
/// sentence order. A word without dependents has type `leaf`, other words have type `inner`. `heads` is as in
/// find_root(). Cost: linear.
void append_dependency_tree(std::span<const std::int32_t> heads, std::int32_t leaf, std::int32_t inner,
                            InputGraph& graph);

/// Returns the dependency tree of a sentence, with tree_schema(). Vertex t is word t.
InputGraph to_dependency_graph(std::span<const std::int32_t> heads, std::span<const std::int32_t> words,
                               std::span<const std::int32_t> labels);

/// Returns the schema of two trees and the similarity of their meanings. It has the types "node" and "pair" (the last
/// vertex, whose children are the roots), index port "word", and float port "score" of the pair.
GraphSchema tree_pair_schema();

/// The dependency tree of a sentence and the ids of its words.
struct WordTree {
  std::vector<std::int32_t> heads, words;  // [words]; heads are as in find_root()
  std::int32_t root = 0;
};

/// Returns a graph of tree_pair_schema(). The score may be absent.
InputGraph to_tree_pair(const WordTree& first, const WordTree& second, std::optional<float> score);

}  // namespace cavs::inline v0_1
