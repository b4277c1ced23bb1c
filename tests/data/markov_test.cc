#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "data/generators.h"

namespace cavs {
namespace {

using testing::ElementsAre;

using Words = std::vector<std::int32_t>;

TEST(MarkovSource, MakesSentencesOfEveryAllowedLengthOnly) {
  const MarkovSource source({.vocabulary = 50, .length = 6}, 1);
  std::set<std::size_t> lengths;
  for (int i = 0; i < 400; ++i) {
    const Words words = source.sentence(Split::kTrain, i);
    EXPECT_EQ(words.back(), 1);
    EXPECT_EQ(std::ranges::count(words, 1), 1);
    EXPECT_THAT(words, testing::Each(testing::AllOf(testing::Ge(1), testing::Lt(50))));
    lengths.insert(words.size() - 1);
  }
  EXPECT_THAT(lengths, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(MarkovSource, MakesChainsOfAFixedLength) {
  EXPECT_TRUE(rc::check([] {
    const MarkovSource source({.vocabulary = *rc::gen::inRange(3, 40), .length = *rc::gen::inRange(1, 12)},
                              *rc::gen::arbitrary<std::uint64_t>());
    const int steps = *rc::gen::inRange(1, 100);
    RC_ASSERT(std::ssize(source.chain(Split::kTest, 5, steps)) == steps);
  }));
  const Words words = MarkovSource({.vocabulary = 50, .length = 6}, 1).chain(Split::kTrain, 0, 200);
  EXPECT_THAT(words, testing::Contains(1).Times(testing::Ge(10)));
}

TEST(MarkovSource, GivesTheSameWordsOnEveryMachine) {
  const MarkovSource source({.vocabulary = 1'000, .length = 5}, 1);
  EXPECT_THAT(source.sentence(Split::kTrain, 0), ElementsAre(2, 55, 1));
  EXPECT_THAT(source.sentence(Split::kTrain, 1), ElementsAre(72, 3, 11, 5, 2, 2, 83, 22, 1));
  EXPECT_THAT(source.sentence(Split::kTest, 0), ElementsAre(72, 12, 56, 5, 2, 433, 8, 2, 46, 1));
}

TEST(MarkovSource, DependsOnlyOnSeedSplitAndSample) {
  const MarkovSource source({}, 1), same({}, 1), other({}, 2);
  source.sentence(Split::kTrain, 7);
  EXPECT_EQ(source.sentence(Split::kTrain, 3), same.sentence(Split::kTrain, 3));
  EXPECT_NE(source.sentence(Split::kTrain, 3), source.sentence(Split::kTrain, 4));
  EXPECT_NE(source.sentence(Split::kTrain, 3), source.sentence(Split::kTest, 3));
  EXPECT_NE(source.sentence(Split::kTrain, 3), other.sentence(Split::kTrain, 3));
}

TEST(MarkovSource, HasFrequentAndRareWordsAndFavouriteSuccessors) {
  const MarkovSource source({.vocabulary = 200, .length = 20}, 1);
  std::map<std::int32_t, int> counts;
  std::map<std::int32_t, std::map<std::int32_t, int>> followers;
  for (int i = 0; i < 2'000; ++i) {
    std::int32_t before = 1;
    for (const std::int32_t word : source.sentence(Split::kTrain, i)) {
      if (word != 1) {
        ++counts[word];
        ++followers[before][word];
      }
      before = word;
    }
  }
  EXPECT_GT(counts.size(), 190U);
  int all = 0, expected = 0, to_four = 0;
  for (const auto& [word, count] : counts) all += count;
  EXPECT_GT(counts[2], all / 20);  // 1/6 by rank, and the favourites shift some counts
  for (const auto& [word, next] : followers) {
    std::vector<int> sorted;
    for (const auto& [to, count] : next) {
      sorted.push_back(count);
      expected += count;
    }
    std::ranges::sort(sorted, std::greater());
    for (std::size_t k = 0; k < std::min<std::size_t>(4, sorted.size()); ++k) to_four += sorted[k];
  }
  EXPECT_GT(to_four, 0.74 * expected);
}

TEST(LoadMarkov, GivesSentencesOrChains) {
  const Dataset data = load_data("markov:train=30,test=10,length=8,vocabulary=40");
  EXPECT_EQ(data.train.schema(), chain_schema());
  EXPECT_EQ(data.train.size(), 30);
  EXPECT_EQ(data.dev.size(), 10);
  EXPECT_EQ(data.classes, 40);
  EXPECT_EQ(data.words.word(1), "<eos>");
  EXPECT_EQ(data.words.word(39), "w39");
  EXPECT_EQ(load_data("markov:train=5", {.steps = 16}).train.vertices(), 80);
  EXPECT_EQ(load_data("markov:train=5,steps=8", {.steps = 16}).train.vertices(), 40);
  EXPECT_EQ(load_data("markov:train=5", {.vocabulary = 30}).words.size(), 30);
  EXPECT_EQ(load_data("markov:train=5,seed=9", {.seed = 1}).train.to_arrays().index_pulls,
            load_data("markov:train=5", {.seed = 9}).train.to_arrays().index_pulls);
}

}  // namespace
}  // namespace cavs
