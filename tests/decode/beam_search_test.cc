#include "decode/beam_search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/philox.h"

namespace cavs {
namespace {

using testing::ElementsAre;

constexpr std::int32_t kEnd = 0;

/// Log probabilities of the next word after the given words.
using Language = std::function<std::vector<float>(const std::vector<std::int32_t>&)>;

/// Draws log probabilities as a function of the words. A third of them equal others.
Language random_language(std::int32_t words, std::uint64_t seed) {
  return [=](const std::vector<std::int32_t>& before) {
    std::uint64_t number = seed;
    for (const std::int32_t word : before) number = number * 31 + static_cast<std::uint64_t>(word) + 1;
    Random random(number, RandomPurpose::kContinuation, 0);
    std::vector<double> weights(words);
    double sum = 0;
    for (double& weight : weights) sum += weight = 1 + random.below(3 * words);
    std::vector<float> row;
    for (const double weight : weights) row.push_back(static_cast<float>(std::log(weight / sum)));
    return row;
  };
}

/// The best of these log probabilities. NaN is skipped.
void rank(const std::vector<float>& row, std::span<ScoredWord> best) {
  std::vector<ScoredWord> all;
  for (const float x : row)
    if (all.push_back({static_cast<std::int32_t>(all.size()), x}); std::isnan(x)) all.back() = {-1, -HUGE_VALF};
  all.resize(std::max(all.size(), best.size()), {-1, -HUGE_VALF});
  std::ranges::stable_sort(all, std::greater(), &ScoredWord::log_probability);
  std::copy_n(all.begin(), best.size(), best.begin());
}

std::vector<Hypothesis> search(const BeamOptions& options, const Language& language, int* steps = nullptr) {
  BeamSearch search(options);
  for (int step = 1; !search.done(); ++step) {
    if (steps != nullptr) *steps = step;
    const std::int32_t each = search.width();
    std::vector<ScoredWord> continuations(search.live().size() * static_cast<std::size_t>(each));
    for (std::size_t h = 0; h < search.live().size(); ++h) {
      std::vector<float> row = language(search.words(search.live()[h]));
      if (const std::int32_t forced = search.forced_word(); forced >= 0)
        for (std::int32_t word = 0; word < std::ssize(row); ++word)
          if (word != forced) row[word] = std::nanf("");
      rank(row, std::span(continuations).subspan(h * each, each));
    }
    EXPECT_TRUE(search.advance(continuations));
  }
  return search.best();
}

/// All complete outputs of at most this many words, best score first.
std::vector<Hypothesis> all_outputs(const BeamOptions& options, std::int32_t words, const Language& language) {
  std::vector<Hypothesis> whole;
  const std::function<void(const Hypothesis&)> extend = [&](const Hypothesis& h) {
    const std::vector<float> row = language(h.words);
    Hypothesis ended = h;
    ended.log_probability += row[kEnd];
    ended.score = ended.log_probability / length_penalty(options.length_penalty, std::ssize(h.words) + 1);
    whole.push_back(ended);
    if (std::ssize(h.words) == options.max_words) return;
    for (std::int32_t word = 1; word < words; ++word) {
      Hypothesis next = h;
      next.words.push_back(word);
      next.log_probability += row[word];
      extend(next);
    }
  };
  extend({});
  std::stable_sort(whole.begin(), whole.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return whole;
}

TEST(LengthPenalty, FollowsTheFormulaOfWuEtAl) {
  EXPECT_EQ(length_penalty(0, 9), 1);
  EXPECT_EQ(length_penalty(1, 7), 2);
  EXPECT_NEAR(length_penalty(0.6, 13), std::pow(3, 0.6), 1e-15);
}

TEST(BeamSearch, FindsTheBestOutputIfTheBeamHoldsAll) {
  for (const double alpha : {0.0, 0.6, 2.0})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const BeamOptions options{.beam = 1000,
                                .best = 7,
                                .length_penalty = alpha,
                                .end = kEnd,
                                .max_words = static_cast<std::int32_t>(seed % 5)};
      const Language language = random_language(4, seed);
      const auto expected = all_outputs(options, 4, language);
      const auto found = search(options, language);
      ASSERT_EQ(found.size(), std::min<std::size_t>(7, expected.size()));
      for (std::size_t k = 0; k < found.size(); ++k)
        EXPECT_EQ(found[k].score, expected[k].score) << alpha << " " << seed;
      const bool tied = expected.size() > 1 && expected[0].score == expected[1].score;
      if (!tied) {
        EXPECT_EQ(found[0].words, expected[0].words);
      }
    }
}

TEST(BeamSearch, WithABeamOfOneIsGreedy) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Language language = random_language(6, seed);
    Hypothesis greedy;
    for (std::int32_t word = -1; word != kEnd;) {
      const std::vector<float> row = language(greedy.words);
      word = greedy.words.size() == 8 ? kEnd : static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
      greedy.log_probability += row[word];
      if (word != kEnd) greedy.words.push_back(word);
    }
    const auto found = search({.end = kEnd, .max_words = 8}, language);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].words, greedy.words);
    EXPECT_EQ(found[0].log_probability, greedy.log_probability);
  }
}

TEST(BeamSearch, StopsEarlyWithoutChangingTheBest) {
  int sooner = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Language language = random_language(6, seed);
    BeamOptions options{.beam = 5, .best = 1, .end = kEnd, .max_words = 12};
    int steps_one = 0, steps_all = 0;
    const auto one = search(options, language, &steps_one);
    options.best = 5;
    const auto all = search(options, language, &steps_all);
    EXPECT_EQ(one[0].words, all[0].words);
    EXPECT_EQ(one[0].score, all[0].score);
    EXPECT_TRUE(std::ranges::is_sorted(all, std::greater(), &Hypothesis::score));
    EXPECT_LE(steps_one, steps_all);
    sooner += steps_one < steps_all ? 1 : 0;
  }
  EXPECT_GT(sooner, 10);
}

/// The most probable first word leads to bad outputs, which a wider beam avoids. A length penalty favours long ones.
TEST(BeamSearch, AWiderBeamAndALengthPenaltyChangeTheChoice) {
  const auto row = [](std::vector<double> probabilities) {
    std::vector<float> logs;
    for (const double p : probabilities) logs.push_back(static_cast<float>(std::log(p)));
    return logs;
  };
  const Language language = [&](const std::vector<std::int32_t>& before) {
    if (before.empty()) return row({0.1, 0.5, 0.4});
    if (before == std::vector<std::int32_t>{1}) return row({0.3, 0.35, 0.35});
    if (before == std::vector<std::int32_t>{2}) return row({0.4, 0.05, 0.55});
    return row({0.9, 0.05, 0.05});
  };
  EXPECT_THAT(search({.beam = 1, .length_penalty = 0, .end = kEnd, .max_words = 5}, language)[0].words,
              ElementsAre(1, 1));
  EXPECT_THAT(search({.beam = 2, .length_penalty = 0, .end = kEnd, .max_words = 5}, language)[0].words,
              ElementsAre(2, 2));
  EXPECT_THAT(search({.beam = 4, .length_penalty = 0, .end = kEnd, .max_words = 1}, language)[0].words, ElementsAre(2));
  EXPECT_THAT(search({.beam = 200, .length_penalty = 9, .end = kEnd, .max_words = 5}, language)[0].words.size(), 5U);
}

TEST(BeamSearch, BreaksTiesByTheEarlierHypothesisAndThenTheSmallerWord) {
  const Language even = [](const std::vector<std::int32_t>&) { return std::vector<float>(4, std::log(0.25F)); };
  const auto found = search({.beam = 3, .best = 3, .length_penalty = 0, .end = kEnd, .max_words = 2}, even);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].words, ElementsAre());
  EXPECT_THAT(found[1].words, ElementsAre(1));
  EXPECT_THAT(found[2].words, ElementsAre(1, 1));
}

TEST(BeamSearch, ReportsThatNoWordCanFollow) {
  BeamSearch search({.beam = 2, .end = kEnd, .max_words = 3});
  const std::vector<ScoredWord> none(2);
  EXPECT_FALSE(search.advance(none));
  EXPECT_EQ(search.live().size(), 1U);
}

}  // namespace
}  // namespace cavs
