#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "cavs/data.h"
#include "cavs/vocabulary.h"
#include "data/tree_text.h"

namespace cavs {
namespace {

/// $CAVS_DATA, or the folder where the build expects the data sets.
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
  EXPECT_THAT(data.train.index_pulls(1), testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(5))));
}

TEST_F(RealData, SentimentTreebankVocabularyBeginsWithTheMostFrequentWords) {
  const Vocabulary words = load_data("sst:" + data_folder() + "/sst", {.limit = 1}).words;
  EXPECT_EQ(words.word(1), ".");
  EXPECT_EQ(words.word(2), ",");
  EXPECT_EQ(words.word(3), "the");
  EXPECT_GT(words.id("("), 0);  // brackets are unescaped
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
  EXPECT_EQ(data.classes, 106);  // labels include functions, as in NP-SBJ
  EXPECT_THAT(data.class_names, testing::IsSupersetOf({"NP", "NP-SBJ", "VP"}));
  EXPECT_EQ(data.class_names.size(), 106);
}

TEST_F(RealData, WikiTextHasItsKnownCounts) {
  const std::string folder = data_folder() + "/wikitext2/", train = folder + "wiki.train.tokens.gz";
  const Dataset data = load_data("text:train=" + train + ",dev=" + folder + "wiki.valid.tokens.gz");
  EXPECT_EQ(data.train.size(), 23'767);
  EXPECT_EQ(data.train.vertices(), 2'051'910 + 23'767);  // one <eos> per line
  EXPECT_EQ(statistics(data.train).max_depth, 699);
  EXPECT_EQ(data.words.size(), 33'278);
  EXPECT_EQ(data.classes, 33'278);
  EXPECT_EQ(data.dev.size(), 2'461);
  EXPECT_EQ(data.dev.vertices(), 213'886 + 2'461);
  EXPECT_EQ(statistics(data.dev).max_depth, 429);
  EXPECT_EQ(load_data("text:" + train + ",steps=64,vocabulary=10000").train.size(), (2'051'910 + 23'767) / 64);
}

TEST_F(RealData, TaggedSentencesHaveTheirKnownCounts) {
  const std::string gold = data_folder() + "/wikigold/", neural = data_folder() + "/wikineural/";
  const Dataset small = load_data("conll:train=" + gold + "train.conll,dev=" + gold + "dev.conll");
  EXPECT_EQ(small.train.size(), 1'207);
  EXPECT_EQ(small.train.vertices(), 28'310);
  EXPECT_EQ(statistics(small.train).largest, 144);
  EXPECT_EQ(small.dev.size(), 193);
  EXPECT_EQ(small.dev.vertices(), 4'582);
  EXPECT_THAT(small.class_names, testing::ElementsAre("O", "I-LOC", "I-MISC", "I-ORG", "I-PER"));
  const Dataset large = load_data("conll:train=" + neural + "train.conllu.gz,dev=" + neural + "dev.conllu.gz");
  EXPECT_EQ(large.train.size(), 19'187);
  EXPECT_EQ(large.train.vertices(), 442'679);
  EXPECT_EQ(large.words.size(), 42'276 + 1);
  EXPECT_EQ(large.dev.vertices(), 45'968);
  EXPECT_EQ(large.classes, 9);
}

TEST_F(RealData, WeiboHasItsKnownCounts) {
  const Dataset data = load_data("weibo:" + data_folder() + "/weibo");
  const auto count = [&](std::int32_t type) {
    return std::count(data.train.types().begin(), data.train.types().end(), type);
  };
  EXPECT_EQ(data.train.size(), 1'350);
  EXPECT_EQ(count(0), 73'778);
  EXPECT_EQ(count(2), 73'778 + 1'350);
  EXPECT_NEAR(static_cast<double>(count(1)) / 1'350, 16.8, 0.05);
  EXPECT_EQ(data.dev.size(), 270);
  EXPECT_EQ(data.classes, 17);
}

TEST_F(RealData, PairsOfSentencesHaveTheirKnownCounts) {
  const std::string folder = data_folder() + "/multi30k_ende/";
  const Dataset data = load_data("parallel:train=" + folder + "train.en.gz+" + folder + "train.de.gz,dev=" + folder +
                                 "dev.en.gz+" + folder + "dev.de.gz");
  EXPECT_EQ(data.train.size(), 29'000);
  EXPECT_EQ(data.dev.size(), 1'014);
  EXPECT_EQ(data.classes, 18'722 + 2);
  const auto decoders = static_cast<double>(std::count(data.train.types().begin(), data.train.types().end(), 1));
  EXPECT_NEAR((static_cast<double>(data.train.vertices()) - decoders) / 29'000, 13.0, 0.05);
  EXPECT_NEAR(decoders / 29'000 - 1, 12.4, 0.05);  // without <eos>
}

TEST_F(RealData, DependencyTreesHaveTheirKnownCounts) {
  const std::string folder = data_folder() + "/ud_ewt/en_ewt-ud-";
  const std::string files = "conllu:train=" + folder + "train.conllu.gz,dev=" + folder + "dev.conllu.gz";
  const Dataset data = load_data(files);
  const GraphStatistics train = statistics(data.train);
  EXPECT_EQ(train.samples, 12'544);
  EXPECT_EQ(train.vertices, 204'577);
  EXPECT_EQ(train.roots, 12'544);
  EXPECT_EQ(train.edges, 204'577 - 12'544);
  EXPECT_EQ(train.largest, 159);
  EXPECT_EQ(train.max_depth, 16);  // 17 words
  EXPECT_EQ(train.max_arity, 18);
  EXPECT_EQ(data.classes, 17);
  EXPECT_EQ(data.dev.size(), 2'001);
  EXPECT_EQ(data.dev.vertices(), 25'147);
}

TEST_F(RealData, PairsOfTreesHaveTheirKnownCounts) {
  const Dataset data = load_data("sick:" + data_folder() + "/sick");
  EXPECT_EQ(data.train.size(), 4'500);
  EXPECT_EQ(data.dev.size(), 500);
  double sum = 0;
  for (const float score : data.train.float_pulls(0)) sum += score;
  EXPECT_NEAR(sum / 4'500, 3.52, 0.01);
  EXPECT_EQ(statistics(data.train).max_depth, 12 + 1);  // 13 words, and the vertex over both roots
}

TEST_F(RealData, TagsCanBeRewritten) {
  const std::string gold = data_folder() + "/wikigold/";
  const Dataset data = load_data("conll:train=" + gold + "train.conll,dev=" + gold + "dev.conll,tags=iobes");
  EXPECT_EQ(data.classes, 1 + 4 * 4);
}

}  // namespace
}  // namespace cavs
