#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/generators.h"

namespace cavs::inline v0_1 {

/// What these generators share: the length of a sample on average (1 to 2 length - 1, all equally often), and words.
struct SequenceShape {
  int length = 0;
  std::int32_t vocabulary = 0;  // at least 4
  std::uint64_t seed = 0;
};

/// Gives sample i of a split.
using SampleGenerator = std::function<InputGraph(Split split, std::int64_t i)>;

/// Sentences with entities of four classes as tags, in IOB2: a word whose id is a multiple of 8 begins one, an odd word
/// behind it ends it, and the class is that of the word after its first (its id modulo 4), so both directions count.
/// `spelled`: the rarer words are spelled, in octal, so that what a word means stands at its end.
SampleGenerator tagged_sentences(const SequenceShape& shape, bool spelled);
std::vector<std::string> sentence_tags();

/// Lattices of characters and words in the proportion of the lattices that ED-Batch measures: 23.3 words to 43.2
/// characters, 86 % of two characters, 11 % of three, 2 % of four, others of up to eight. A word whose id is a multiple
/// of 4 announces an entity right behind it, of class id / 4 modulo 8 and of id / 32 modulo 2 more characters than one;
/// nothing is announced inside an entity. Only the words tell. The first half of the ids are characters'.
SampleGenerator random_lattices(const SequenceShape& shape);
std::vector<std::string> lattice_tags();

/// Pairs of sentences: a word of the target language for each of the source, and a second one ("<unk>" + 2, the most
/// frequent) behind each word whose id is a multiple of 5. Ids: <unk>, <eos>, the target's words, as many of the
/// source.
SampleGenerator translated_sentences(const SequenceShape& shape);
/// Words of the target language, <unk> and <eos> included.
std::int32_t target_words(const SequenceShape& shape);

/// Pairs of sentences with their dependency trees, of tree_pair_schema(): both have the same tree, drawn at random, and
/// the second keeps a word of the first or has another one in its place. The score is 1 + 4 times the share of words
/// that are kept.
SampleGenerator random_tree_pairs(const SequenceShape& shape);

/// ListOps as a directed acyclic graph: digits, then operators (`length` on average) over two or three of the vertices
/// before them, with their value as label. A vertex may be read by several operators or by none.
/// @param words  listops_vocabulary(), or what a model knows of it
SampleGenerator shared_expressions(const SequenceShape& shape, Vocabulary words);
/// Of expressions whose parts may be shared: type "vertex"; index ports "word" and "label". So do JSON lines without
/// types give it.
GraphSchema expression_schema();

/// Short films (2 to 2 length frames, all equally often) of a bright square, disc or cross that moves two pixels a
/// frame over a noisy ground, and comes in again where it leaves. A frame's child is the one before. The last one has
/// the motion as label: 3 (dy + 1) + dx + 1 for a direction (dy, dx), each -1, 0 or 1; so 1 is up, and 4 still. No
/// single frame tells.
SampleGenerator moving_shapes(const SequenceShape& shape);
/// Of image sequences: type "frame"; index port "label"; float port "pixels", kFrameSide * kFrameSide grey values, row
/// after row.
GraphSchema moving_shapes_schema();
inline constexpr int kMotions = 9;

}  // namespace cavs::inline v0_1
