#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cavs/generators.h"
#include "data/zipf.h"
#include "support/philox.h"

namespace cavs {

/// What the generators of sequences share: their length on average (1 to 2 length - 1, all equally often), and words.
struct SequenceShape {
  int length = 0;
  std::int32_t vocabulary = 0;  // at least 4
  std::uint64_t seed = 0;
};

std::int32_t draw_length(const SequenceShape& shape, Random& random);
/// Ids from `first` on, by rank.
std::vector<std::int32_t> draw_words(std::int32_t length, std::int32_t first, const Zipf& ranks, Random& random);

/// Sentences with entities of four classes as tags, in IOB2: a word whose id is a multiple of 8 begins one, an odd word
/// behind it ends it, and the class is that of the word after its first (its id modulo 4), so both directions count.
class TagSource {
 public:
  explicit TagSource(const SequenceShape& shape);
  InputGraph sentence(Split split, std::int64_t i) const;
  /// The same with its rarer words spelled: in octal, so that what a word means stands at its end.
  InputGraph spelled_sentence(Split split, std::int64_t i) const;
  static std::vector<std::string> tags();

 private:
  SequenceShape shape_;
  Zipf ranks_;
};

/// Lattices of characters and words in the proportion of the lattices that ED-Batch measures: 23.3 words to 43.2
/// characters, 86 % of two characters, 11 % of three, 2 % of four, others of up to eight. A word whose id is a multiple
/// of 4 announces an entity right behind it, of class id / 4 modulo 8 and of id / 32 modulo 2 more characters than one;
/// nothing is announced inside an entity. Only the words tell. The first half of the ids are characters'.
class LatticeSource {
 public:
  explicit LatticeSource(const SequenceShape& shape);
  InputGraph lattice(Split split, std::int64_t i) const;
  static std::vector<std::string> tags();

 private:
  SequenceShape shape_;
  Zipf characters_, words_;
};

/// Pairs of sentences: a word of the target language for each of the source, and a second one ("<unk>" + 2, the most
/// frequent) behind each word whose id is a multiple of 5. Ids: <unk>, <eos>, the target's words, as many of the
/// source.
class TranslationSource {
 public:
  explicit TranslationSource(const SequenceShape& shape);
  InputGraph pair(Split split, std::int64_t i) const;
  std::int32_t target_words() const { return target_words_; }  // <unk> and <eos> included

 private:
  SequenceShape shape_;
  std::int32_t target_words_;
  Zipf ranks_;
};

}  // namespace cavs
