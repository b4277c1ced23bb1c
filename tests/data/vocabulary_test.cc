#include "cavs/vocabulary.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "cavs/readers.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

TEST(Vocabulary, OrdersByFrequencyThenByBytes) {
  const auto trees = parse_treebank("(1 (1 b) (1 a) (1 c)) (1 (1 c) (1 Z))", "t");
  EXPECT_THAT(Vocabulary::from_trees(trees).words(), ElementsAre("<unk>", "c", "Z", "a", "b"));
}

TEST(Vocabulary, DoesNotDependOnTheOrderOfTheSamples) {
  auto trees = parse_treebank("(1 (1 x) (1 y)) (1 (1 y) (1 z)) (1 w)", "t");
  const auto words = Vocabulary::from_trees(trees).words();
  std::reverse(trees.begin(), trees.end());
  EXPECT_EQ(Vocabulary::from_trees(trees).words(), words);
}

TEST(Vocabulary, OmitsRareWordsAndKeepsOnlyTheMostFrequent) {
  const auto trees = parse_treebank("(1 (1 a) (1 b) (1 a)) (1 (1 c) (1 b)) (1 a)", "t");
  EXPECT_THAT(Vocabulary::from_trees(trees, 2).words(), ElementsAre("<unk>", "a", "b"));
  EXPECT_THAT(Vocabulary::from_trees(trees, 1, 3).words(), ElementsAre("<unk>", "a", "b"));
  EXPECT_THAT(Vocabulary::from_trees(trees, 1, 9).words(), ElementsAre("<unk>", "a", "b", "c"));
  EXPECT_THAT(Vocabulary::from_trees(trees, 3, 3).words(), ElementsAre("<unk>", "a"));
}

TEST(Vocabulary, OfLinesStartsWithUnknownAndEndOfLine) {
  const auto lines = parse_text("b b <eos> a\na <unk> b", "t");
  EXPECT_THAT(Vocabulary::from_lines(lines).words(), ElementsAre("<unk>", "<eos>", "b", "a"));
  EXPECT_THAT(Vocabulary::from_lines(lines, 1, 3).words(), ElementsAre("<unk>", "<eos>", "b"));
  EXPECT_THAT(Vocabulary::from_lines(lines, 1, 1).words(), ElementsAre("<unk>", "<eos>"));
}

TEST(Vocabulary, FindsWordsByTheirBytes) {
  const Vocabulary words({"<unk>", "It", "it", "été"});
  EXPECT_EQ(words.size(), 4);
  EXPECT_EQ(words.id("It"), 1);
  EXPECT_EQ(words.id("it"), 2);
  EXPECT_EQ(words.id("été"), 3);
  EXPECT_EQ(words.id("IT"), 0);
  EXPECT_EQ(words.id(""), 0);
  EXPECT_EQ(words.word(3), "été");
}

TEST(Vocabulary, IsCopiedCompletely) {
  Vocabulary copy;
  {
    const Vocabulary words({"<unk>", "a"});
    copy = words;
  }
  EXPECT_EQ(copy.id("a"), 1);
}

TEST(Vocabulary, ContainsTheUnknownWordOnce) {
  EXPECT_THAT(Vocabulary().words(), ElementsAre("<unk>"));
  EXPECT_THAT(Vocabulary::from_trees(parse_treebank("(1 <unk>)", "t")).words(), ElementsAre("<unk>"));
}

TEST(Vocabulary, RefusesInvalidWords) {
  const auto message = [](std::vector<std::string> words) {
    return error_of([&] { Vocabulary vocabulary(std::move(words)); });
  };
  EXPECT_EQ(message({}), "vocabulary: word 0 is ''; expected '<unk>'");
  EXPECT_EQ(message({"the", "<unk>"}), "vocabulary: word 0 is 'the'; expected '<unk>'");
  EXPECT_EQ(message({"<unk>", "a", "b", "a"}), "vocabulary: words 1 and 3 are both 'a'");
  EXPECT_EQ(message({"<unk>", ""}), "vocabulary: word 1 is empty");
}

TEST(Vocabulary, CopiesShareTheirWords) {
  Vocabulary words({"<unk>", "a"});
  const Vocabulary copy = words, moved = std::move(words);
  EXPECT_EQ(&copy.words(), &moved.words());
  EXPECT_EQ(words.id("a"), 1);  // NOLINT(bugprone-use-after-move): a move is a copy
}

}  // namespace
}  // namespace cavs
