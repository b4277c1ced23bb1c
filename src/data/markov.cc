#include <algorithm>
#include <utility>

#include "cavs/data.h"
#include "data/generator_random.h"
#include "support/check.h"

namespace cavs {
namespace {

constexpr std::int32_t kEnd = 1, kFirstWord = 2;  // ids; those below are <unk> and <eos>
constexpr int kMostWords = 10'000'000;
constexpr std::uint32_t kFavourites = 4;
constexpr std::uint64_t kFavouritesPart = 2;  // beside the two splits

/// Integers alone, so that every machine draws the same words.
constexpr std::uint32_t weight_of(std::uint32_t rank) { return (1U << 24) / rank; }

}  // namespace

MarkovSource::MarkovSource(const MarkovOptions& options, std::uint64_t seed) : options_(options), seed_(seed) {
  user_check(options.vocabulary > kFirstWord && options.vocabulary <= kMostWords,
             "markov: vocabulary is {}; expected {} to {}, <unk>, <eos> and a word", options.vocabulary, kFirstWord + 1,
             kMostWords);
  user_check(options.length >= 1 && options.length <= (1 << 30), "markov: length is {}; expected 1 to {}",
             options.length, 1 << 30);
  const auto words = static_cast<std::uint32_t>(options.vocabulary - kFirstWord);
  std::uint32_t sum = 0;
  weights_.reserve(words);
  for (std::uint32_t rank = 1; rank <= words; ++rank) weights_.push_back(sum += weight_of(rank));
}

/// The word that a uniform number stands for.
std::int32_t MarkovSource::word_at(std::uint32_t random) const {
  const auto point = static_cast<std::uint32_t>(std::uint64_t{random} * weights_.back() >> 32);
  const auto rank = std::upper_bound(weights_.begin(), weights_.end(), point) - weights_.begin();
  return kFirstWord + static_cast<std::int32_t>(rank);
}

std::int32_t MarkovSource::favourite(std::int32_t word, std::uint32_t rank) const {
  const std::int64_t number = std::int64_t{word} * kFavourites + rank;
  return word_at(random_for(Generator::kMarkov, seed_, number, kFavouritesPart).next());
}

template <typename IsComplete>
std::vector<std::int32_t> MarkovSource::draw(Split split, std::int64_t i, IsComplete is_complete) const {
  constexpr std::uint32_t kRanks[8] = {0, 0, 0, 0, 1, 1, 2, 3};
  Random random = random_for(Generator::kMarkov, seed_, i, split == Split::kTest ? 1 : 0);
  std::vector<std::int32_t> words;
  while (!is_complete(words)) {
    std::int32_t word = kEnd;
    auto left = 1 + random.below(2 * static_cast<std::uint32_t>(options_.length) - 1);
    for (; left > 0 && !is_complete(words); --left) {
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
  std::vector<std::string> words{std::string(Vocabulary::kUnknown), std::string(Vocabulary::kEndOfLine)};
  for (int id = kFirstWord; id < options_.vocabulary; ++id) words.push_back(fmt::format("w{}", id));
  return Vocabulary(std::move(words));
}

}  // namespace cavs
