#include <algorithm>
#include <limits>
#include <numeric>

#include "backend/kernel_testing.h"

namespace cavs::cpu {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();

class BestWords : public EveryIsa {
 protected:
  std::vector<float> log_softmax(std::vector<float> row) {
    const auto width = static_cast<std::int32_t>(row.size());
    std::vector<float> y(row.size());
    find_row_kernel(isa(), "log_softmax")(
        {.in = {{row.data(), width, nullptr, width}}, .out = {y.data(), width, width}}, 0, 1, scratch_);
    return y;
  }

  std::vector<std::int32_t> words_of(const std::vector<float>& row, std::size_t count) {
    std::vector<ScoredWord> best(count);
    best_words(isa(), row, best);
    const std::vector<float> scores = log_softmax(row);
    std::vector<std::int32_t> words;
    for (const ScoredWord& each : best) {
      words.push_back(each.word);
      if (each.word < 0) continue;
      EXPECT_EQ(each.log_probability, scores[each.word]);
      EXPECT_EQ(isa().log_softmax_at(row.data(), static_cast<int>(row.size()), each.word), each.log_probability);
    }
    return words;
  }

  /// Computes the expected words by sorting the output of log_softmax.
  void expect_sorted(const std::vector<float>& row, std::size_t count) {
    const std::vector<float> scores = log_softmax(row);
    std::vector<std::int32_t> expected(row.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
    expected.resize(count, -1);
    EXPECT_EQ(words_of(row, count), expected) << row.size() << " words, the best " << count;
  }

  Random random_{1, RandomPurpose::kContinuation, 0};
};

TEST_P(BestWords, AreSortedByScoreThenByPosition) {
  for (const std::size_t size : {1U, 5U, 63U, 64U, 65U, 1000U})
    for (const std::size_t count : {1U, 3U, 5U, 64U, 100U}) {
      std::vector<float> few(size), many(size);  // few and many different numbers
      for (float& x : few) x = -static_cast<float>(random_.below(size > 100 ? 200 : 7));
      for (float& x : many) x = 8 * random_.uniform();
      expect_sorted(few, count);
      expect_sorted(many, count);
    }
}

/// Adjacent logits may round to the same log_softmax. Then the first word wins, not the larger logit.
TEST_P(BestWords, TiesAfterRoundingAreWonByTheFirstWord) {
  for (const std::size_t count : {1U, 2U, 5U}) {
    std::vector<float> row(200, 0.5F);
    for (std::size_t i = 0; i < row.size(); i += 3) row[i] = std::nextafter(0.5F, 1.0F + static_cast<float>(i % 2));
    row[150] = 1;
    expect_sorted(row, count);
  }
}

TEST_P(BestWords, SkipWordsWithoutAProbability) {
  EXPECT_EQ(words_of({-kNever, -2, -kNever, -1}, 3), (std::vector<std::int32_t>{3, 1, -1}));
  EXPECT_EQ(words_of({}, 2), (std::vector<std::int32_t>{-1, -1}));
  for (const float bad : {std::nanf(""), kNever, -kNever}) {
    EXPECT_EQ(words_of({bad}, 1), (std::vector<std::int32_t>{-1})) << bad;
    if (bad < 0) continue;
    std::vector<float> row(100, 1);  // log_softmax is NaN everywhere
    row[50] = bad;
    EXPECT_EQ(words_of(row, 2), (std::vector<std::int32_t>{-1, -1})) << bad;
  }
}

CAVS_FOR_EVERY_ISA(BestWords);

}  // namespace
}  // namespace cavs::cpu
