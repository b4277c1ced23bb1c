#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "cavs/data.h"
#include "data/tree_text.h"

namespace cavs {
namespace {

/// $CAVS_DATA, or where the build expects the data sets.
std::string data_folder() {
  const char* given = std::getenv("CAVS_DATA");
  return given != nullptr ? given : CAVS_DATA_DIR;
}

class RealData : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_folder()))
      GTEST_SKIP() << "no data sets at " << data_folder() << "; set CAVS_DATA to their folder";
  }
};

TEST_F(RealData, SentimentTreebankHasItsKnownCounts) {
  const Dataset data = load_data("sst:" + data_folder() + "/sst");
  const GraphStatistics train = statistics(data.train), dev = statistics(data.dev);
  EXPECT_EQ(train.samples, 8'544);
  EXPECT_EQ(train.leaves, 163'563);
  EXPECT_EQ(train.vertices, 2 * 163'563 - 8'544);  // strictly binary
  EXPECT_EQ(train.roots, 8'544);
  EXPECT_EQ(train.max_depth, 29);
  EXPECT_EQ(train.max_arity, 2);
  EXPECT_EQ(dev.samples, 1'101);
  EXPECT_EQ(dev.leaves, 21'274);
  EXPECT_EQ(data.classes, 5);
  EXPECT_THAT(data.train.index_pulls[1], testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(5))));
}

TEST_F(RealData, SentimentTreebankVocabularyBeginsWithTheMostFrequentWords) {
  const Vocabulary words = load_data("sst:" + data_folder() + "/sst", {.limit = 1}).words;
  EXPECT_EQ(words.word(1), ".");
  EXPECT_EQ(words.word(2), ",");
  EXPECT_EQ(words.word(3), "the");
  EXPECT_GT(words.id("("), 0);  // unescaped
  EXPECT_EQ(words.id("-LRB-"), 0);
}

TEST_F(RealData, ConstituencyTreesOfAnyArityAreReadFromGzip) {
  const std::string folder = data_folder() + "/gum_const/";
  const Dataset data = load_data("trees:train=" + folder + "train.ptb.gz,dev=" + folder + "dev.ptb.gz");
  const GraphStatistics train = statistics(data.train), dev = statistics(data.dev);
  EXPECT_EQ(train.samples, 3'707);
  EXPECT_EQ(train.leaves, 76'760);
  EXPECT_EQ(train.max_arity, 39);
  EXPECT_EQ(train.max_depth, 33);  // 34 vertices
  EXPECT_EQ(dev.samples, 438);
  EXPECT_EQ(dev.leaves, 10'631);
  EXPECT_EQ(data.classes, 0);
}

TEST_F(RealData, WikiTextHasItsKnownCounts) {
  const std::string folder = data_folder() + "/wikitext2/", train = folder + "wiki.train.tokens.gz";
  const Dataset data = load_data("text:train=" + train + ",dev=" + folder + "wiki.valid.tokens.gz");
  EXPECT_EQ(data.train.size(), 23'767);
  EXPECT_EQ(data.train.vertices(), 2'051'910 + 23'767);  // an <eos> a line
  EXPECT_EQ(statistics(data.train).max_depth, 699);
  EXPECT_EQ(data.words.size(), 33'278);
  EXPECT_EQ(data.classes, 33'278);
  EXPECT_EQ(data.dev.size(), 2'461);
  EXPECT_EQ(data.dev.vertices(), 213'886 + 2'461);
  EXPECT_EQ(statistics(data.dev).max_depth, 429);
  EXPECT_EQ(load_data("text:" + train + ",steps=64,vocabulary=10000").train.size(), (2'051'910 + 23'767) / 64);
}

}  // namespace
}  // namespace cavs
