#include <gmock/gmock.h>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/tree_text.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

const TreebankOptions kSentiment{.classes = 5, .require_labels = true};

void expect_refused_trees(const std::vector<Mistake>& mistakes, const TreebankOptions& options = kSentiment) {
  expect_mistakes(mistakes, "t.txt:", [&](const std::string& text) { parse_treebank(text, "t.txt", options); });
}

TEST(Treebank, ReadsLabelsAndWordsInTheOrderOfTheBrackets) {
  const auto trees = parse_treebank("(3 (2 It) (4 (3 works) (2 .)))\n", "t", kSentiment);
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(to_text(trees[0]), "-:3 0:2=It 0:4 2:3=works 2:2=.");
}

TEST(Treebank, ReadsSeveralTreesPerLineAndTreesOverSeveralLines) {
  const auto trees = parse_treebank("(1 a) (2 b)\n(3\n  (0 c)\r\n\t(1 d))\n", "t", kSentiment);
  ASSERT_EQ(trees.size(), 3U);
  EXPECT_EQ(to_text(trees[2]), "-:3 0:0=c 0:1=d");
  EXPECT_EQ(trees[1].line, 1);
  EXPECT_EQ(trees[2].line, 2);
}

TEST(Treebank, ReadsBracketsOfEveryForm) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"(1 (2 a) (2 b) (2 c))", "-:1 0:2=a 0:2=b 0:2=c"},
      {"(1 (2 a))", "-:1 0:2=a"},
      // a label that is not an integer counts as absent
      {"(S (NP (D the) (N dog)) (VP barks))", "- 0 1=the 1=dog 0=barks"},
      {"(CD 2014)", "-=2014"},
      {"(-1 word)", "-=word"},
      // no labels
      {"((the) (dog))", "- 0=the 0=dog"},
      {"( (S (N dogs)))", "- 0 1=dogs"},
      {"(7)", "-=7"},
      // words that share brackets become leaves
      {"(NP the dog)", "- 0=the 0=dog"},
      {"(S (NP dogs) bark loudly)", "- 0=dogs 0=bark 0=loudly"},
      {"(S well (NP dogs))", "- 0=well 0=dogs"}};
  for (const auto& [text, vertices] : cases) {
    const auto trees = parse_treebank(text, "t");
    ASSERT_EQ(trees.size(), 1U) << text;
    EXPECT_EQ(to_text(trees.front()), vertices) << text;
  }
}

TEST(Treebank, UndoesTheEscapesOfBracketsAndSlashes) {
  const auto trees = parse_treebank(R"((2 (2 -LRB-) (2 1\/2) (2 a-RRB-b) (2 -LSB--RCB-) (2 \*) (2 -) (2 \)))", "t");
  EXPECT_THAT(words_of(trees[0]), ElementsAre("(", "1/2", "a)b", "[}", "*", "-", "\\"));
}

TEST(Treebank, KeepsTheBytesOfWords) {
  EXPECT_THAT(words_of(parse_treebank("(2 (2 Zurbarán) (2 ’s) (2 [x]))", "t")[0]),
              ElementsAre("Zurbarán", "’s", "[x]"));
}

TEST(Treebank, NamesTheLineOfAMissingPart) {
  const std::string no_tree = "no tree; expected one such as '(3 (2 It) (4 works))', found the end of the text";
  expect_refused_trees(
      {{"", "1: " + no_tree},
       {"\n\n", "3: " + no_tree},
       {"(1 a)\n(2 (3 b) (1 (2 c)\n\n",
        "2: the tree that begins here is not closed; expected '))', found the end of the text"},
       {"(1 a)\n(2 b))\n", "2: one ')' too many; expected '(' or the end of the text, found ')'"},
       {"(1 a)\nstray (1 b)", "2: expected '(' at the beginning of a tree, found 'stray'"},
       {"(1 ()", "1: expected a label 0 to 4 after '(', found ')'"},
       {"(3)", "1: expected a word or '(' after label 3, found ')'"},
       {"(1 a)\n(2 caf\xE9)", "2: expected UTF-8, found the byte 0xE9; convert the file (iconv -f ENCODING -t UTF-8)"},
       {std::string("(1 a\0)", 6),
        "1: expected text, found a NUL byte; if it is in UTF-16, convert it (iconv -f UTF-16LE -t UTF-8)"}});
  expect_refused_trees({{"()", "1: empty brackets; expected a label and a word, found ')'"}}, {});
  expect_refused_trees({{"\n)", "42: one ')' too many; expected '(' or the end of the text, found ')'"}},
                       {.first_line = 41});
}

TEST(Treebank, RefusesLabelsThatAreNotClasses) {
  expect_refused_trees({{"(3 (2 a)\n (5 b))", "2: label out of range; expected 0 to 4, or -1 for none, found 5"},
                        {"(-2 a)", "1: label out of range; expected 0 to 4, or -1 for none, found -2"},
                        {"(NP a)", "1: expected a label 0 to 4 after '(', found 'NP'"},
                        {"((2 a))", "1: expected a label 0 to 4 after '(', found '('"},
                        {"(", "1: expected a label 0 to 4 after '(', found ''"}});
  expect_refused_trees({{"(99999999999999999999 a)",
                         "1: label out of range; expected 0 to 999999, or -1 for none, found 99999999999999999999"}},
                       {});
}

TEST(Treebank, RefusesWordsThatShareBracketsIfLabelsAreRequired) {
  const std::string own = "1: expected one word in brackets of its own, such as '(2 word)', found ";
  expect_refused_trees({{"(2 New York)", own + "'York'"},
                        {"(2 (1 a) b)", own + "'b'"},
                        {"(2 a (1 b))", "1: expected ')' after the word 'a', found '('"}});
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
  expect_refused_trees({{text, "1: the tree that begins here is not closed; expected ')', found the end of the text"}});
}

TEST(Tree, GivesAGraphOfLeavesAndInnerVertices) {
  const auto trees = parse_treebank("(3 (2 It) (4 (3 works) (2 It)))", "t", kSentiment);
  const InputGraph graph = to_graph(trees[0], Vocabulary({"<unk>", "It"}));
  EXPECT_THAT(graph.types, ElementsAre(1, 0, 1, 0, 0));
  EXPECT_THAT(graph.child_offsets, ElementsAre(0, 2, 2, 4, 4, 4));
  EXPECT_THAT(graph.children, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(graph.index_pulls, ElementsAre(ElementsAre(-1, 1, -1, 0, 1), ElementsAre(3, 2, 4, 3, 2)));
}

}  // namespace
}  // namespace cavs
