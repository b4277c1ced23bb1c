#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/generators.h"

namespace cavs::inline v0_1 {

/// Options of the generators in this file. `length` is the mean length of a sample, drawn from 1 to 2 length - 1.
struct SequenceShape {
  int length = 0;
  std::int32_t vocabulary = 0;  // number of word ids; at least 4
  std::uint64_t seed = 0;
};

/// Returns sample i of a split.
using SampleGenerator = std::function<InputGraph(Split split, std::int64_t i)>;

/// Returns a generator of sentences with entities of four classes as tags, in IOB2. A word whose id is a multiple of 8
/// begins an entity, and the next odd word ends it. The class is the id of the entity's second word modulo 4, so both
/// directions matter. With `spelled`, rarer words are spelled in octal, so that the last digit has the meaning that the
/// id modulo 8 has.
SampleGenerator tagged_sentences(const SequenceShape& shape, bool spelled);
std::vector<std::string> sentence_tags();

/// Returns a generator of lattices of characters and words, in the proportions that ED-Batch measures: 23.3 words to
/// 43.2 characters; 86 % of words have two characters, 11 % three, 2 % four, others up to eight. A word outside of
/// entities whose id is a multiple of 4 announces an entity directly after it, with class (id / 4) modulo 8 and 1 + (id
/// / 32) modulo 2 characters. Only words predict the tags. The first half of the ids are characters.
SampleGenerator random_lattices(const SequenceShape& shape);
std::vector<std::string> lattice_tags();

/// Returns a generator of pairs of sentences. Each source word has one target word; if its id is a multiple of 5, it
/// has a second target word, the most frequent one. Ids: <unk>, <eos>, target words, as many source words.
SampleGenerator translated_sentences(const SequenceShape& shape);
/// Returns the number of words of the target language, including <unk> and <eos>.
std::int32_t target_words(const SequenceShape& shape);

/// Returns a generator of pairs of sentences with dependency trees, with tree_pair_schema(). Both sentences have the
/// same random tree. The second keeps or replaces each word of the first. The score is 1 + 4 * share of kept words.
SampleGenerator random_tree_pairs(const SequenceShape& shape);

/// Returns a generator of ListOps as directed acyclic graphs: digits, then operators (`length` on average), each over
/// two or three earlier vertices and with its value as label. Several operators, or none, may read a vertex.
/// @param words  listops_vocabulary(), or the vocabulary of a model
SampleGenerator shared_expressions(const SequenceShape& shape, Vocabulary words);
/// Returns the schema of expressions with shared parts: type "vertex", index ports "word" and "label". JSON lines
/// without types have the same schema.
GraphSchema expression_schema();

/// Returns a generator of short clips (2 to 2 length frames, drawn uniformly) of a bright square, disc or cross that
/// moves two pixels per frame over a noisy background, and wraps around. The child of a frame is the preceding frame.
/// The last frame has the motion as label: 3 (dy + 1) + dx + 1 for a direction (dy, dx), each -1, 0 or 1; so 1 is up,
/// and 4 means no motion. No single frame shows the motion.
SampleGenerator moving_shapes(const SequenceShape& shape);
/// Returns the schema of image sequences: type "frame", index port "label", float port "pixels" with kFrameSide *
/// kFrameSide grey values in row-major order.
GraphSchema moving_shapes_schema();
inline constexpr int kMotions = 9;

}  // namespace cavs::inline v0_1
