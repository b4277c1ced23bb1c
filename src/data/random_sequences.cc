#include "data/random_sequences.h"

#include <fmt/format.h>

#include <algorithm>

#include "cavs/readers.h"
#include "cavs/sentence_graphs.h"
#include "data/generator_random.h"

namespace cavs {
namespace {

constexpr std::int32_t kFirstTranslated = 2;  // behind <unk> and <eos>

Random random_of(Generator generator, const SequenceShape& shape, Split split, std::int64_t i) {
  return random_for(generator, shape.seed, i, split == Split::kTest ? 1 : 0);
}

/// O, B-A, I-A, B-B, ...: the tags of class c are 1 + 2c and 2 + 2c.
std::vector<std::string> iob_tags(int classes) {
  std::vector<std::string> tags{std::string(kOutside)};
  for (int c = 0; c < classes; ++c)
    for (const char* part : {"B-", "I-"}) tags.push_back(std::string(part) + static_cast<char>('A' + c));
  return tags;
}

constexpr std::int32_t begin_tag(std::int32_t c) { return 1 + 2 * c; }
constexpr std::int32_t inside_tag(std::int32_t c) { return 2 + 2 * c; }

constexpr int kTagClasses = 4, kLatticeClasses = 8;

/// Of a word of a lattice.
std::int32_t draw_span(Random& random) {
  const std::uint32_t percent = random.below(100);
  if (percent < 86) return 2;
  if (percent < 97) return 3;
  return percent < 99 ? 4 : 5 + static_cast<std::int32_t>(random.below(4));
}

}  // namespace

std::int32_t draw_length(const SequenceShape& shape, Random& random) {
  return 1 + static_cast<std::int32_t>(random.below(2 * static_cast<std::uint32_t>(shape.length) - 1));
}

std::vector<std::int32_t> draw_words(std::int32_t length, std::int32_t first, const Zipf& ranks, Random& random) {
  std::vector<std::int32_t> words(length);
  for (std::int32_t& word : words) word = first + ranks.at(random.next());
  return words;
}

TagSource::TagSource(const SequenceShape& shape)
    : shape_(shape), ranks_(static_cast<std::uint32_t>(shape.vocabulary - 1)) {}

std::vector<std::string> TagSource::tags() { return iob_tags(kTagClasses); }

InputGraph TagSource::sentence(Split split, std::int64_t i) const {
  Random random = random_of(Generator::kTags, shape_, split, i);
  const std::vector<std::int32_t> words = draw_words(draw_length(shape_, random), 1, ranks_, random);
  std::vector<std::int32_t> labels(words.size(), 0);
  for (std::size_t t = 0; t < words.size(); ++t) {
    if (words[t] % 8 != 0) continue;
    const std::int32_t next = t + 1 < words.size() ? words[t + 1] : 0;
    labels[t] = begin_tag(next % kTagClasses);
    if (next % 2 == 1) labels[++t] = inside_tag(next % kTagClasses);
  }
  return to_tagged_chain(words, labels);
}

InputGraph TagSource::spelled_sentence(Split split, std::int64_t i) const {
  const InputGraph chain = sentence(split, i);
  const std::vector<std::int32_t>& words = chain.index_pulls[0];
  std::vector<std::string> spellings(words.size());
  for (std::size_t t = 0; t < words.size(); ++t)
    if (words[t] >= shape_.vocabulary / 2) spellings[t] = fmt::format("w{:o}", words[t]);
  return to_spelled_chain(words, chain.index_pulls[1], spellings);
}

LatticeSource::LatticeSource(const SequenceShape& shape)
    : shape_(shape),
      characters_(static_cast<std::uint32_t>(shape.vocabulary / 2 - 1)),
      words_(static_cast<std::uint32_t>(shape.vocabulary - shape.vocabulary / 2)) {}

std::vector<std::string> LatticeSource::tags() { return iob_tags(kLatticeClasses); }

InputGraph LatticeSource::lattice(Split split, std::int64_t i) const {
  constexpr std::uint32_t kWordsPerMille = 575;  // of characters that a word ends with; at the start some do not fit
  Random random = random_of(Generator::kLattice, shape_, split, i);
  const std::int32_t length = draw_length(shape_, random), first_word = shape_.vocabulary / 2;
  const std::vector<std::int32_t> characters = draw_words(length, 1, characters_, random);
  std::vector<std::int32_t> labels(length, 0);
  std::vector<LatticeWord> words;
  std::int32_t free = 0;  // the first character behind the last entity
  for (std::int32_t end = 1; end <= length; ++end) {
    if (random.below(1000) >= kWordsPerMille) continue;
    const LatticeWord word{end - draw_span(random), end, first_word + words_.at(random.next())};
    if (word.begin < 0) continue;
    words.push_back(word);
    if (word.id % 4 != 0 || end < free) continue;
    const std::int32_t c = word.id / 4 % kLatticeClasses;
    free = std::min(length, end + 1 + word.id / 32 % 2);
    for (std::int32_t t = end; t < free; ++t) labels[t] = t == end ? begin_tag(c) : inside_tag(c);
  }
  return to_lattice(characters, words, labels);
}

TranslationSource::TranslationSource(const SequenceShape& shape)
    : shape_(shape),
      target_words_(kFirstTranslated + (shape.vocabulary - kFirstTranslated) / 2),
      ranks_(static_cast<std::uint32_t>(target_words_ - kFirstTranslated)) {}

InputGraph TranslationSource::pair(Split split, std::int64_t i) const {
  constexpr std::int32_t kEnd = 1;
  Random random = random_of(Generator::kTranslation, shape_, split, i);
  std::vector<std::int32_t> words = draw_words(draw_length(shape_, random), kFirstTranslated, ranks_, random), target;
  for (std::int32_t& word : words) {
    target.push_back(word);
    if (word % 5 == 0) target.push_back(kFirstTranslated);
    word += target_words_ - kFirstTranslated;
  }
  target.push_back(kEnd);
  return to_translation(words, kEnd, target);
}

}  // namespace cavs
