#include <utility>

#include "cavs/vocabulary.h"
#include "data/data_kinds.h"
#include "data/generator_random.h"
#include "data/generators.h"
#include "data/zipf.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kEnd = 1, kFirstWord = 2;  // ids; <unk> is 0
constexpr int kMaxWords = 10'000'000;
constexpr std::uint32_t kFavourites = 4;
constexpr std::uint64_t kFavouritesPart = 2;  // part of the random stream; 0 and 1 are the splits

}  // namespace

MarkovSource::MarkovSource(const MarkovOptions& options, std::uint64_t seed) : options_(options), seed_(seed) {
  user_check(options.vocabulary > kFirstWord && options.vocabulary <= kMaxWords,
             "markov: vocabulary is {}; expected {} to {}, <unk>, <eos> and a word", options.vocabulary, kFirstWord + 1,
             kMaxWords);
  user_check(options.length >= 1 && options.length <= (1 << 30), "markov: length is {}; expected 1 to {}",
             options.length, 1 << 30);
  ranks_ = std::make_shared<const Zipf>(static_cast<std::uint32_t>(options.vocabulary - kFirstWord));
}

/// Maps a uniform random number to the id of a word.
std::int32_t MarkovSource::word_at(std::uint32_t random) const { return kFirstWord + ranks_->at(random); }

std::int32_t MarkovSource::favourite(std::int32_t word, std::uint32_t rank) const {
  const std::int64_t number = std::int64_t{word} * kFavourites + rank;
  return word_at(random_for(Generator::kMarkov, seed_, number, kFavouritesPart).next());
}

template <typename IsComplete>
std::vector<std::int32_t> MarkovSource::draw(Split split, std::int64_t i, IsComplete is_complete) const {
  constexpr std::uint32_t kRanks[8] = {0, 0, 0, 0, 1, 1, 2, 3};
  Random random = random_for(Generator::kMarkov, seed_, split, i);
  std::vector<std::int32_t> words;
  while (!is_complete(words)) {
    std::int32_t word = kEnd;
    for (auto left = draw_length(options_.length, random); left > 0 && !is_complete(words); --left) {
      const bool any = random.below(4) == 0;
      word = any ? word_at(random.next()) : favourite(word, kRanks[random.below(8)]);
      words.push_back(word);
    }
    if (!is_complete(words)) words.push_back(kEnd);
  }
  return words;
}

std::vector<std::int32_t> MarkovSource::sentence(Split split, std::int64_t i) const {
  return draw(split, i, [](const auto& words) { return !words.empty() && words.back() == kEnd; });
}

std::vector<std::int32_t> MarkovSource::chain(Split split, std::int64_t i, std::int64_t steps) const {
  user_check(steps >= 1, "markov: steps is {}; expected at least 1", steps);
  return draw(split, i, [steps](const auto& words) { return std::ssize(words) == steps; });
}

Vocabulary MarkovSource::words() const {
  return numbered_words({std::string(Vocabulary::kUnknown), std::string(Vocabulary::kEndOfLine)}, options_.vocabulary);
}

}  // namespace cavs::inline v0_1
