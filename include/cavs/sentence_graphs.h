#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"

namespace cavs {

/// The schema of chains of words: type "token"; index ports "word" and "label".
GraphSchema chain_schema();

/// A chain of chain_schema() for language models: vertex t has child t - 1 (the first none), reads word t - 1 (the
/// first reads `before`, which is "<eos>" where a line begins) and has word t as label.
InputGraph to_chain(std::int32_t before, std::span<const std::int32_t> words);

/// A chain of chain_schema() for taggers: vertex t has child t - 1, reads word t and has its tag as label.
InputGraph to_tagged_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels);

/// The schema of chains whose rare words are spelled: types "token" and "character"; index ports "word", "label",
/// "character" (of a character vertex: a byte of UTF-8), "first" and "last" (of a token: its word's first and last
/// character's vertices).
GraphSchema spelled_chain_schema();

/// A chain of spelled_chain_schema(): that of to_tagged_chain(), and a chain of characters for each word that has a
/// spelling; the word itself is then absent.
InputGraph to_spelled_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels,
                            std::span<const std::string> spellings);

/// The schema of lattices: types "character", "word" (arcs) and "position"; index ports "word" and "label".
GraphSchema lattice_schema();

/// A word of a lattice: an arc over characters [begin, end).
struct LatticeWord {
  std::int32_t begin = 0, end = 0, id = 0;
};

/// The lattice of a sentence, of lattice_schema(): a position before the first character (no children) and one behind
/// each, with its label; a position's children are the arcs that end there (the character's, then those of words), an
/// arc's child is the position where it begins.
/// @throws UserError if a word does not fit, or there is not a label a character. Cost: linear but for sorting words.
InputGraph to_lattice(std::span<const std::int32_t> characters, std::span<const LatticeWord> words,
                      std::span<const std::int32_t> labels);

/// The schema of pairs of sentences: types "encoder" and "decoder"; index ports "word" and "label".
GraphSchema translation_schema();

/// A pair of sentences, of translation_schema(): a chain of encoder vertices that read the source, whose last is the
/// child of the first decoder vertex; that reads `before`, the others the target's word before theirs, which they have
/// as label. @throws UserError if either sentence is empty.
InputGraph to_translation(std::span<const std::int32_t> source, std::int32_t before,
                          std::span<const std::int32_t> target);

/// The input graph of a tree, of tree_schema(): vertices keep their numbers; a vertex without a word has word -1.
InputGraph to_graph(const Tree& tree, const Vocabulary& words);

}  // namespace cavs
