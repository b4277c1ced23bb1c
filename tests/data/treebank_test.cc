#include <gmock/gmock.h>

#include "cavs/readers.h"
#include "cavs/sentence_graphs.h"
#include "cavs/vocabulary.h"
#include "data/tree_text.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

const TreebankOptions kSentiment{.classes = 5, .require_labels = true};

std::string tree_of(const std::string& text) {
  const auto trees = parse_treebank(text, "t");
  EXPECT_EQ(trees.size(), 1U);
  return to_text(trees.front());
}

std::string treebank_error(const std::string& text, const TreebankOptions& options = kSentiment) {
  return error_of([&] { parse_treebank(text, "t.txt", options); });
}

TEST(Treebank, ReadsLabelsAndWordsInTheOrderOfTheBrackets) {
  const auto trees = parse_treebank("(3 (2 It) (4 (3 works) (2 .)))\n", "t", kSentiment);
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(to_text(trees[0]), "-:3 0:2=It 0:4 2:3=works 2:2=.");
}

TEST(Treebank, ReadsSeveralTreesALineAndTreesOverSeveralLines) {
  const auto trees = parse_treebank("(1 a) (2 b)\n(3\n  (0 c)\r\n\t(1 d))\n", "t", kSentiment);
  ASSERT_EQ(trees.size(), 3U);
  EXPECT_EQ(to_text(trees[2]), "-:3 0:0=c 0:1=d");
  EXPECT_EQ(trees[1].line, 1);
  EXPECT_EQ(trees[2].line, 2);
}

TEST(Treebank, ReadsAnyNumberOfChildren) {
  EXPECT_EQ(tree_of("(1 (2 a) (2 b) (2 c))"), "-:1 0:2=a 0:2=b 0:2=c");
  EXPECT_EQ(tree_of("(1 (2 a))"), "-:1 0:2=a");
}

TEST(Treebank, TakesALabelThatIsNoIntegerAsNone) {
  EXPECT_EQ(tree_of("(S (NP (D the) (N dog)) (VP barks))"), "- 0 1=the 1=dog 0=barks");
  EXPECT_EQ(tree_of("(CD 2014)"), "-=2014");
  EXPECT_EQ(tree_of("(-1 word)"), "-=word");
}

TEST(Treebank, TakesBracketsWithoutLabels) {
  EXPECT_EQ(tree_of("((the) (dog))"), "- 0=the 0=dog");
  EXPECT_EQ(tree_of("( (S (N dogs)))"), "- 0 1=dogs");
  EXPECT_EQ(tree_of("(7)"), "-=7");
}

TEST(Treebank, MakesLeavesOfWordsThatShareBrackets) {
  EXPECT_EQ(tree_of("(NP the dog)"), "- 0=the 0=dog");
  EXPECT_EQ(tree_of("(S (NP dogs) bark loudly)"), "- 0=dogs 0=bark 0=loudly");
  EXPECT_EQ(tree_of("(S well (NP dogs))"), "- 0=well 0=dogs");
}

TEST(Treebank, UndoesTheEscapesOfBracketsAndSlashes) {
  const auto trees = parse_treebank(R"((2 (2 -LRB-) (2 1\/2) (2 a-RRB-b) (2 -LSB--RCB-) (2 \*) (2 -) (2 \)))", "t");
  EXPECT_THAT(words_of(trees[0]), ElementsAre("(", "1/2", "a)b", "[}", "*", "-", "\\"));
}

TEST(Treebank, KeepsTheBytesOfWordsAsTheyAre) {
  EXPECT_THAT(words_of(parse_treebank("(2 (2 Zurbarán) (2 ’s) (2 [x]))", "t")[0]),
              ElementsAre("Zurbarán", "’s", "[x]"));
}

TEST(Treebank, NamesTheLineOfWhatIsMissing) {
  EXPECT_EQ(treebank_error(""),
            "t.txt:1: no tree; expected one such as '(3 (2 It) (4 works))', found the end of the text");
  EXPECT_EQ(treebank_error("\n\n"),
            "t.txt:3: no tree; expected one such as '(3 (2 It) (4 works))', found the end of the text");
  EXPECT_EQ(treebank_error("(1 a)\n(2 (3 b) (1 (2 c)\n\n"),
            "t.txt:2: the tree that begins here is not closed; expected '))', found the end of the text");
  EXPECT_EQ(treebank_error("(1 a)\n(2 b))\n"),
            "t.txt:2: one ')' too many; expected '(' or the end of the text, found ')'");
  EXPECT_EQ(treebank_error("(1 a)\nstray (1 b)"), "t.txt:2: expected '(' at the beginning of a tree, found 'stray'");
  EXPECT_EQ(treebank_error("(1 ()"), "t.txt:1: expected a label 0 to 4 after '(', found ')'");
  EXPECT_EQ(treebank_error("()", {}), "t.txt:1: empty brackets; expected a label and a word, found ')'");
  EXPECT_EQ(treebank_error("(3)"), "t.txt:1: expected a word or '(' after label 3, found ')'");
}

TEST(Treebank, RefusesLabelsThatAreNoClass) {
  EXPECT_EQ(treebank_error("(3 (2 a)\n (5 b))"),
            "t.txt:2: label out of range; expected 0 to 4, or -1 for none, found 5");
  EXPECT_EQ(treebank_error("(-2 a)"), "t.txt:1: label out of range; expected 0 to 4, or -1 for none, found -2");
  EXPECT_EQ(treebank_error("(99999999999999999999 a)", {}),
            "t.txt:1: label out of range; expected 0 to 999999, or -1 for none, found 99999999999999999999");
  EXPECT_EQ(treebank_error("(NP a)"), "t.txt:1: expected a label 0 to 4 after '(', found 'NP'");
  EXPECT_EQ(treebank_error("((2 a))"), "t.txt:1: expected a label 0 to 4 after '(', found '('");
  EXPECT_EQ(treebank_error("("), "t.txt:1: expected a label 0 to 4 after '(', found ''");
}

TEST(Treebank, RefusesWordsThatShareBracketsWhereLabelsAreRequired) {
  EXPECT_EQ(treebank_error("(2 New York)"),
            "t.txt:1: expected one word in brackets of its own, such as '(2 word)', found 'York'");
  EXPECT_EQ(treebank_error("(2 (1 a) b)"),
            "t.txt:1: expected one word in brackets of its own, such as '(2 word)', found 'b'");
  EXPECT_EQ(treebank_error("(2 a (1 b))"), "t.txt:1: expected ')' after the word 'a', found '('");
}

TEST(Treebank, RefusesBytesThatAreNoText) {
  EXPECT_EQ(treebank_error("(1 a)\n(2 caf\xE9)"),
            "t.txt:2: expected UTF-8, found the byte 0xE9; convert the file (iconv -t UTF-8)");
  EXPECT_EQ(treebank_error(std::string("(1 a\0)", 6)), "t.txt:1: expected text, found a NUL byte");
}

TEST(Treebank, CountsLinesFromTheOneItIsTold) {
  EXPECT_EQ(treebank_error("\n)", {.first_line = 41}),
            "t.txt:42: one ')' too many; expected '(' or the end of the text, found ')'");
}

TEST(Treebank, ReadsAMillionNestedBrackets) {
  constexpr int kDepth = 1'000'000;
  std::string text;
  for (int i = 0; i < kDepth; ++i) text += "(1 ";
  text += "deep" + std::string(kDepth, ')');
  const auto trees = parse_treebank(text, "t", kSentiment);
  ASSERT_EQ(trees[0].size(), kDepth);
  GraphSet graphs(tree_schema());
  graphs.add(to_graph(trees[0], Vocabulary()));
  EXPECT_EQ(graphs.levels()[0], kDepth - 1);
  text.pop_back();
  EXPECT_EQ(treebank_error(text),
            "t.txt:1: the tree that begins here is not closed; expected ')', found the end of the text");
}

TEST(Tree, BecomesAGraphOfLeavesAndInnerVertices) {
  const auto trees = parse_treebank("(3 (2 It) (4 (3 works) (2 It)))", "t", kSentiment);
  const InputGraph graph = to_graph(trees[0], Vocabulary({"<unk>", "It"}));
  EXPECT_THAT(graph.types, ElementsAre(1, 0, 1, 0, 0));
  EXPECT_THAT(graph.child_offsets, ElementsAre(0, 2, 2, 4, 4, 4));
  EXPECT_THAT(graph.children, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(graph.index_pulls, ElementsAre(ElementsAre(-1, 1, -1, 0, 1), ElementsAre(3, 2, 4, 3, 2)));
}

}  // namespace
}  // namespace cavs
