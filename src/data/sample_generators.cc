#include "data/sample_generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cavs/readers.h"
#include "data/dependency_graph.h"
#include "data/generator_random.h"
#include "data/listops.h"
#include "data/zipf.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kFirstTranslated = 2;  // id of the first target word; <unk> and <eos> precede it
constexpr int kTagClasses = 4, kLatticeClasses = 8;

/// Returns a distribution of ranks for this number of words.
Zipf ranks_of(std::int32_t words) { return Zipf(static_cast<std::uint32_t>(words)); }

/// Draws the ids of `length` words: `first` + a rank that is drawn from `ranks`.
std::vector<std::int32_t> draw_words(std::int32_t length, std::int32_t first, const Zipf& ranks, Random& random) {
  std::vector<std::int32_t> words(length);
  for (std::int32_t& word : words) word = first + ranks.at(random.next());
  return words;
}

/// Returns the tags O, B-A, I-A, B-B, ... The tags of class c have numbers 1 + 2c and 2 + 2c.
std::vector<std::string> iob_tags(int classes) {
  std::vector<std::string> tags{std::string(kOutside)};
  for (int c = 0; c < classes; ++c)
    for (const char* part : {"B-", "I-"}) tags.push_back(std::string(part) + static_cast<char>('A' + c));
  return tags;
}

constexpr std::int32_t begin_tag(std::int32_t c) { return 1 + 2 * c; }
constexpr std::int32_t inside_tag(std::int32_t c) { return 2 + 2 * c; }

/// Draws the number of characters of a word in a lattice.
std::int32_t draw_span(Random& random) {
  const std::uint32_t percent = random.below(100);
  if (percent < 86) return 2;
  if (percent < 97) return 3;
  return percent < 99 ? 4 : 5 + static_cast<std::int32_t>(random.below(4));
}

/// Draws a dependency tree: words in random order, where each word except the first is a dependent of an earlier word.
WordTree draw_tree(std::int32_t words, Random& random) {
  WordTree tree;
  std::vector<std::int32_t> order(words);
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t left = words; left > 1; --left)
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
  tree.heads.assign(words, -1);
  for (std::int32_t k = 1; k < words; ++k) tree.heads[order[k]] = order[random.below(static_cast<std::uint32_t>(k))];
  tree.root = order[0];
  return tree;
}

InputGraph tagged_sentence(const SequenceShape& shape, const Zipf& ranks, Split split, std::int64_t i) {
  Random random = random_for(Generator::kTags, shape.seed, split, i);
  const std::vector<std::int32_t> words = draw_words(draw_length(shape.length, random), 1, ranks, random);
  std::vector<std::int32_t> labels(words.size(), 0);
  for (std::size_t t = 0; t < words.size(); ++t) {
    if (words[t] % 8 != 0) continue;
    const std::int32_t next = t + 1 < words.size() ? words[t + 1] : 0;
    labels[t] = begin_tag(next % kTagClasses);
    if (next % 2 == 1) labels[++t] = inside_tag(next % kTagClasses);
  }
  return to_tagged_chain(words, labels);
}

/// Returns sentence i with its rarer words spelled.
InputGraph spelled_sentence(const SequenceShape& shape, const Zipf& ranks, Split split, std::int64_t i) {
  const InputGraph chain = tagged_sentence(shape, ranks, split, i);
  const std::vector<std::int32_t>& words = chain.index_pulls[0];
  std::vector<std::string> spellings(words.size());
  for (std::size_t t = 0; t < words.size(); ++t)
    if (words[t] >= shape.vocabulary / 2) spellings[t] = fmt::format("w{:o}", words[t]);
  return to_spelled_chain(words, chain.index_pulls[1], spellings);
}

}  // namespace

SampleGenerator tagged_sentences(const SequenceShape& shape, bool spelled) {
  return [shape, spelled, ranks = ranks_of(shape.vocabulary - 1)](Split split, std::int64_t i) {
    return spelled ? spelled_sentence(shape, ranks, split, i) : tagged_sentence(shape, ranks, split, i);
  };
}

std::vector<std::string> sentence_tags() { return iob_tags(kTagClasses); }

SampleGenerator random_lattices(const SequenceShape& shape) {
  return [shape, by_character = ranks_of(shape.vocabulary / 2 - 1),
          by_word = ranks_of(shape.vocabulary - shape.vocabulary / 2)](Split split, std::int64_t i) {
    // Characters per 1000 at which a word is drawn to end. A word that would begin before the sentence is dropped.
    constexpr std::uint32_t kWordsPerMille = 575;
    Random random = random_for(Generator::kLattice, shape.seed, split, i);
    const std::int32_t length = draw_length(shape.length, random), first_word = shape.vocabulary / 2;
    const std::vector<std::int32_t> characters = draw_words(length, 1, by_character, random);
    std::vector<std::int32_t> labels(length, 0);
    std::vector<LatticeWord> words;
    std::int32_t free = 0;  // first character that is after all entities so far
    for (std::int32_t end = 1; end <= length; ++end) {
      if (random.below(1000) >= kWordsPerMille) continue;
      const LatticeWord word{end - draw_span(random), end, first_word + by_word.at(random.next())};
      if (word.begin < 0) continue;
      words.push_back(word);
      if (word.id % 4 != 0 || end < free) continue;
      const std::int32_t c = word.id / 4 % kLatticeClasses;
      free = std::min(length, end + 1 + word.id / 32 % 2);
      for (std::int32_t t = end; t < free; ++t) labels[t] = t == end ? begin_tag(c) : inside_tag(c);
    }
    return to_lattice(characters, words, labels);
  };
}

std::vector<std::string> lattice_tags() { return iob_tags(kLatticeClasses); }

std::int32_t target_words(const SequenceShape& shape) {
  return kFirstTranslated + (shape.vocabulary - kFirstTranslated) / 2;
}

SampleGenerator translated_sentences(const SequenceShape& shape) {
  const std::int32_t translated = target_words(shape) - kFirstTranslated;
  return [shape, translated, ranks = ranks_of(translated)](Split split, std::int64_t i) {
    constexpr std::int32_t kEnd = 1;
    Random random = random_for(Generator::kTranslation, shape.seed, split, i);
    std::vector<std::int32_t> words = draw_words(draw_length(shape.length, random), kFirstTranslated, ranks, random);
    std::vector<std::int32_t> target;
    for (std::int32_t& word : words) {
      target.push_back(word);
      if (word % 5 == 0) target.push_back(kFirstTranslated);
      word += translated;
    }
    target.push_back(kEnd);
    return to_translation(words, kEnd, target);
  };
}

SampleGenerator random_tree_pairs(const SequenceShape& shape) {
  return [shape, ranks = ranks_of(shape.vocabulary - 1)](Split split, std::int64_t i) {
    Random random = random_for(Generator::kTreePair, shape.seed, split, i);
    WordTree first = draw_tree(draw_length(shape.length, random), random);
    first.words = draw_words(static_cast<std::int32_t>(first.heads.size()), 1, ranks, random);
    WordTree second = first;
    const float keep = random.uniform();
    int kept = 0;
    for (std::int32_t& word : second.words) {
      if (random.uniform() >= keep) word = 1 + ranks.at(random.next());
      kept += word == first.words[&word - second.words.data()] ? 1 : 0;
    }
    return to_tree_pair(first, second, 1 + 4 * static_cast<float>(kept) / static_cast<float>(second.words.size()));
  };
}

GraphSchema expression_schema() { return {.types = {"vertex"}, .index_ports = {"word", "label"}, .float_ports = {}}; }

SampleGenerator shared_expressions(const SequenceShape& shape, Vocabulary words) {
  return [shape, words = std::move(words)](Split split, std::int64_t i) {
    constexpr std::uint32_t kOperators = kListOpsOperators.size();
    Random random = random_for(Generator::kExpression, shape.seed, split, i);
    const std::int32_t operators = draw_length(shape.length, random), digits = 2 + operators / 2;
    const std::int32_t vertices = operators + digits;
    InputGraph graph;
    graph.types.assign(vertices, 0);
    graph.child_offsets.push_back(0);
    graph.index_pulls.assign(2, std::vector<std::int32_t>(vertices, -1));
    std::vector<std::int32_t> values(vertices);
    for (std::int32_t v = 0; v < vertices; ++v) {
      std::string_view word = std::string_view("0123456789").substr(random.below(10), 1);
      values[v] = word.front() - '0';
      if (v >= digits) {
        word = kListOpsOperators[random.below(kOperators)];
        std::vector<std::int32_t> arguments;
        for (std::uint32_t k = 2 + random.below(2); k > 0; --k) {
          graph.children.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(v))));
          arguments.push_back(values[graph.children.back()]);
        }
        graph.index_pulls[1][v] = values[v] = apply_listops(word, arguments);
      }
      graph.index_pulls[0][v] = words.id(word);
      graph.child_offsets.push_back(std::ssize(graph.children));
    }
    return graph;
  };
}

}  // namespace cavs::inline v0_1
