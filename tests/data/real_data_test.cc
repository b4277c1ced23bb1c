#include <gmock/gmock.h>

#include <chrono>
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

TEST_F(RealData, SentimentTreebankIsReadInWellUnderASecond) {
  const auto begin = std::chrono::steady_clock::now();
  const Dataset data = load_data("sst:" + data_folder() + "/sst");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_LT(seconds.count(), 1.0);
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

}  // namespace
}  // namespace cavs
