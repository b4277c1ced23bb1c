#include "decode/best_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/philox.h"

namespace cavs {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::int32_t> words_of(const std::vector<float>& row, std::size_t count) {
  std::vector<ScoredWord> best(count);
  find_best_words(row, best);
  std::vector<std::int32_t> words;
  for (const ScoredWord& each : best) {
    words.push_back(each.word);
    if (each.word >= 0) {
      EXPECT_EQ(each.log_probability, row[each.word]);
    }
  }
  return words;
}

/// The same by sorting; few different numbers, so that many are equal.
TEST(BestWords, AreThoseThatComeFirstByNumberAndThenByPosition) {
  Random random(1, RandomPurpose::kContinuation, 0);
  for (const std::size_t size : {1U, 5U, 63U, 64U, 65U, 1000U})
    for (const std::size_t count : {1U, 3U, 64U, 100U}) {
      std::vector<float> row(size);
      for (float& x : row) x = -static_cast<float>(random.below(size > 100 ? 200 : 7));
      std::vector<std::int32_t> expected(size);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return row[a] > row[b]; });
      expected.resize(count, -1);
      EXPECT_EQ(words_of(row, count), expected) << size << " " << count;
    }
}

TEST(BestWords, PassesOverWhatIsNoProbability) {
  const std::vector<float> row{std::nanf(""), -2, -kInfinity, -1, std::nanf("")};
  EXPECT_EQ(words_of(row, 3), (std::vector<std::int32_t>{3, 1, -1}));
  EXPECT_EQ(words_of({std::nanf("")}, 1), (std::vector<std::int32_t>{-1}));
  EXPECT_EQ(words_of({}, 2), (std::vector<std::int32_t>{-1, -1}));
}

}  // namespace
}  // namespace cavs
