#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"

namespace cavs {

/// The schema of chains of words: type "token"; index ports "word" and "label".
GraphSchema chain_schema();

/// A chain of chain_schema() for language models: vertex t has child t - 1 (the first none) and reads word t - 1 (the
/// first reads `before`, which is "<eos>" where a line begins) and has word t as label.
InputGraph to_chain(std::int32_t before, std::span<const std::int32_t> words);

/// A chain of chain_schema() for taggers: vertex t has child t - 1, reads word t and has its tag as label.
InputGraph to_tagged_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels);

/// The schema of chains whose rare words are spelled: types "token" and "character"; index ports "word", "label",
/// "character" (at a character vertex: a byte of UTF-8), "first" and "last" (at a token: the vertices of the first and
/// the last character of its word).
GraphSchema spelled_chain_schema();

/// A graph of spelled_chain_schema(): the chain that to_tagged_chain() makes, and a chain of characters for each word
/// whose spelling is not empty. Such a word is absent from the port "word".
InputGraph to_spelled_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels,
                            std::span<const std::string> spellings);

/// The schema of lattices: types "character", "word" (arcs) and "position"; index ports "word" and "label".
GraphSchema lattice_schema();

/// A word of a lattice: an arc over characters [begin, end).
struct LatticeWord {
  std::int32_t begin = 0, end = 0, id = 0;
};

/// The lattice of a sentence, of lattice_schema(). It has a position before the first character, which has no children,
/// and one after each character, which has that character's label. The children of a position are the arcs that end
/// there, the character's first, then those of words; the child of an arc is the position where the arc begins.
/// @throws UserError if a word is not inside the sentence, or if the number of labels is not that of the characters.
/// Cost: linear, and sorting the words.
InputGraph to_lattice(std::span<const std::int32_t> characters, std::span<const LatticeWord> words,
                      std::span<const std::int32_t> labels);

/// The schema of pairs of sentences: types "encoder" and "decoder"; index ports "word" and "label".
GraphSchema translation_schema();

/// A pair of sentences, of translation_schema(). A chain of encoder vertices reads the source; its last vertex is the
/// child of the first decoder vertex. Decoder vertex t has word t of the target as label, and reads word t - 1; the
/// first one reads `before`. @throws UserError if either sentence is empty.
InputGraph to_translation(std::span<const std::int32_t> source, std::int32_t before,
                          std::span<const std::int32_t> target);

/// The input graph of a tree, of tree_schema(). Vertices keep their numbers; a vertex without a word has word -1.
InputGraph to_graph(const Tree& tree, const Vocabulary& words);

}  // namespace cavs
