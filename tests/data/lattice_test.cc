#include <gmock/gmock.h>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/lexicon.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using Ids = std::vector<std::int32_t>;

TEST(Lattice, HasAnArcPerCharacterAndWordAndAPositionAfterEach) {
  const std::vector<LatticeWord> words{{0, 2, 9}};
  const InputGraph graph = to_lattice(Ids{4, 5}, words, Ids{1, 0});
  EXPECT_THAT(graph.types, ElementsAre(2, 0, 2, 0, 1, 2));
  EXPECT_THAT(graph.child_offsets, ElementsAre(0, 0, 1, 2, 3, 4, 6));
  EXPECT_THAT(graph.children, ElementsAre(0, 1, 2, 0, 3, 4));
  EXPECT_THAT(graph.index_pulls[0], ElementsAre(-1, 4, -1, 5, 9, -1));
  EXPECT_THAT(graph.index_pulls[1], ElementsAre(-1, -1, 1, -1, -1, 0));
}

TEST(Lattice, RefusesWordsThatDoNotFit) {
  for (const LatticeWord word : {LatticeWord{-1, 1, 9}, LatticeWord{1, 1, 9}, LatticeWord{0, 3, 9}})
    EXPECT_THAT(error_of([&] {
                  to_lattice(Ids{4, 5}, std::vector{word}, Ids{1, 0});
                }),
                testing::HasSubstr("expected a range in 0 to 2"));
  EXPECT_EQ(error_of([] { to_lattice(Ids{4}, {}, Ids{}); }),
            "the lattice has 1 characters and 0 labels; expected one label per character");
}

TEST(Lexicon, FindsEveryWordOfTwoOrMoreCharactersInASentence) {
  const Lexicon lexicon("中 5\n中国 3\n国人 1 n\n中国人\n", "lexicon");
  const std::vector<std::string_view> sentence{"中", "国", "人"};
  std::vector<std::string> found;
  for (const Lexicon::Match& match : lexicon.matches(sentence))
    found.push_back(std::to_string(match.begin) + "-" + std::to_string(match.end) + match.word);
  EXPECT_THAT(found, ElementsAre("0-2中国", "0-3中国人", "1-3国人"));
  EXPECT_TRUE(Lexicon().matches(sentence).empty());
  EXPECT_EQ(lexicon.words(), "中国 中国人 国人");
  EXPECT_EQ(Lexicon::from_words(lexicon.words()).matches(sentence).size(), lexicon.matches(sentence).size());
  EXPECT_TRUE(Lexicon::from_words("").matches(sentence).empty());
}

TEST(LatticeGenerator, HasTheProportionsOfTheLatticesMeasuredByEdBatch) {
  const GraphSet graphs = load_data("lattices:train=2000,test=0").train;
  std::int64_t arcs = 0, words = 0, positions = 0;
  for (std::int64_t v = 0; v < graphs.vertices(); ++v) {
    arcs += graphs.types()[v] != 2;
    words += graphs.types()[v] == 1;
    positions += graphs.types()[v] == 2;
  }
  const double samples = graphs.size();
  EXPECT_NEAR(static_cast<double>(positions) / samples, 44.1, 1.5);
  EXPECT_NEAR(static_cast<double>(arcs) / samples, 66.5, 2);
  EXPECT_NEAR(static_cast<double>(words) / samples, 23.3, 1);
}

TEST(TranslationGenerator, HasLongerTargetsThanSources) {
  const Dataset data = load_data("translations:train=2000,test=0");
  const auto decoders = std::count(data.train.types().begin(), data.train.types().end(), 1);
  const auto encoders = data.train.vertices() - decoders;
  EXPECT_NEAR(static_cast<double>(encoders) / 2000, 20, 1);
  EXPECT_NEAR(static_cast<double>(decoders) / 2000, 24, 1.5);
  EXPECT_EQ(data.classes, 501);
  EXPECT_EQ(data.train_text.source.size(), 2000U);
  EXPECT_TRUE(data.dev_text.source.empty());
  std::vector<std::int32_t> read;
  for (const auto word : split_words(data.train_text.source[0])) read.push_back(data.words.id(word));
  for (const auto word : split_words(data.train_text.target[0])) read.push_back(data.words.id(word));
  std::vector<std::int32_t> expected;  // the words of the source, then the labels without the end
  for (std::int64_t v = 0; v + 1 < data.train.vertex_begin()[1]; ++v)
    expected.push_back(data.train.types()[v] == 0 ? data.train.index_pulls(0)[v] : data.train.index_pulls(1)[v]);
  EXPECT_EQ(read, expected);
}

TEST(Translation, TheDecoderContinuesFromTheLastEncoderVertex) {
  const InputGraph graph = to_translation(Ids{7, 8}, 1, Ids{3, 4, 1});
  EXPECT_THAT(graph.types, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(graph.child_offsets, ElementsAre(0, 0, 1, 2, 3, 4));
  EXPECT_THAT(graph.children, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(graph.index_pulls[0], ElementsAre(7, 8, 1, 3, 4));
  EXPECT_THAT(graph.index_pulls[1], ElementsAre(-1, -1, 3, 4, 1));
  EXPECT_EQ(error_of([] { to_translation({}, 1, Ids{1}); }),
            "the pair has 0 and 1 words; expected at least one word each");
}

}  // namespace
}  // namespace cavs
