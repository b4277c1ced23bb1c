#include <gmock/gmock.h>

#include <sstream>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/listops.h"
#include "data/tree_text.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

SampleOptions knowing(std::vector<std::string> words) {
  words.insert(words.begin(), "<unk>");
  return {.words = Vocabulary(std::move(words))};
}

std::string sample_error(const std::string& text, SampleOptions options) {
  return error_of([&] { parse_samples(text, std::move(options)); });
}

TEST(Samples, AreTreesExpressionsOrJsonLines) {
  const Samples samples = parse_samples(
      "(3 (2 It) (4 works))\n\n[MAX 2 9]\n"
      "{\"types\":[\"leaf\"],\"children\":[[]],\"pull\":{\"word\":[2]}}\n(S dogs)",
      knowing({"It", "dogs", "MAX"}));
  ASSERT_EQ(samples.graphs.size(), 4);
  ASSERT_EQ(samples.trees.size(), 4U);
  EXPECT_EQ(to_text(samples.trees[0]), "-:3 0:2=It 0:4=works");
  EXPECT_EQ(to_text(samples.trees[1]), "-:9=MAX 0=2 0=9");
  EXPECT_EQ(samples.trees[2].size(), 0);
  EXPECT_EQ(samples.trees[3].line, 5);
  EXPECT_THAT(samples.graphs.index_pulls(0), ElementsAre(-1, 1, 0, 3, 0, 0, 2, 2));
  EXPECT_THAT(samples.graphs.index_pulls(1), ElementsAre(3, 2, 4, 9, -1, -1, -1, -1));
}

TEST(Samples, MaySpanLinesAndShareOne) {
  const Samples samples = parse_samples("(3 (2 a)\n\n  (2 b)) (1 c)\n(0\nd)", {});
  ASSERT_EQ(samples.trees.size(), 3U);
  EXPECT_EQ(to_text(samples.trees[0]), "-:3 0:2=a 0:2=b");
  EXPECT_EQ(to_text(samples.trees[2]), "-:0=d");
  EXPECT_EQ(samples.trees[2].line, 4);
}

TEST(Samples, CanBeReadAFewAtATime) {
  std::istringstream in("(1 a)\n(1 b)\n\n(1 c)\n");
  SampleReader reader(in, {});
  EXPECT_EQ(reader.next(2).graphs.size(), 2);
  EXPECT_EQ(reader.next(2).graphs.size(), 1);
  EXPECT_EQ(reader.next(2).graphs.size(), 0);
}

TEST(Samples, AreReadOnlyAsFarAsRequested) {
  std::istringstream in("(1 a)\n(1 b\n");
  SampleReader reader(in, {});
  EXPECT_EQ(reader.next(1).graphs.size(), 1);
  EXPECT_EQ(error_of([&] { reader.next(1); }),
            "stdin:2: the tree that begins here is not closed; expected ')', found the end of the text");
}

TEST(Samples, AnEmptyTextHasNoSamples) {
  EXPECT_EQ(parse_samples("", {}).graphs.size(), 0);
  EXPECT_EQ(parse_samples(" \n\t\n", {}).graphs.size(), 0);
}

TEST(Samples, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(to_text(parse_samples("\xEF\xBB\xBF(1 a)\n", {}).trees.at(0)), "-:1=a");
}

TEST(Samples, MayHaveWordsWithOtherBrackets) {
  EXPECT_EQ(to_text(parse_samples("(1 (2 [) (2 }))\n(1 a)", {}).trees.at(0)), "-:1 0:2=[ 0:2=}");
}

TEST(Samples, NameTheLineOfAMistake) {
  expect_mistakes(
      {{"(1 a)\nhello there\n",
        "2: expected a tree in brackets, or a ListOps expression, or CoNLL-U, or a JSON line; for example "
        "'((It) ((works) (.)))', found 'hello there'"},
       {"(1 a)\n\n(1 b))\n", "3: one ')' too many; expected '(' or the end of the text, found ')'"},
       {"\n{\"children\":[[0]]}", "2: key 'types' is missing; expected a type for every vertex; known: inner, leaf"},
       {"(1 a)\n(1 \xFF)", "2: expected UTF-8, found the byte 0xFF; convert the file (iconv -f ENCODING -t UTF-8)"},
       {std::string("\0\n", 2),
        "1: expected text, found a NUL byte; if it is in UTF-16, convert it (iconv -f UTF-16LE -t UTF-8)"}},
      "stdin:", [](const std::string& text) { parse_samples(text, {}); });
  EXPECT_EQ(sample_error("(7 a)", {.classes = 5}),
            "stdin:1: label out of range; expected 0 to 4, or -1 for none, found 7");
  EXPECT_EQ(sample_error("\n[MAX 1 2]\n[MAX x]", {.name = "in.txt"}),
            "in.txt:3: expected a digit 0 to 9, '[' or ']', found 'x'");
  EXPECT_EQ(sample_error("(PN dogs)", {.classes = 2, .class_names = {"NP", "VP"}}),
            "stdin:1: the model does not know the label 'PN' of this tree; did you mean 'NP'? known: NP, VP");
}

TEST(Samples, MustBeJsonLinesForModelsWithOtherVertexTypes) {
  const GraphSchema atoms{.types = {"atom"}, .index_ports = {"element"}, .float_ports = {}};
  const Samples samples =
      parse_samples("{\"children\":[[],[0]],\"pull\":{\"element\":[6,1]},\"label\":[0,0]}", {.schema = atoms});
  EXPECT_THAT(samples.graphs.to_arrays().index_pulls, ElementsAre(ElementsAre(6, 1)));
  EXPECT_EQ(sample_error("(1 a)", {.schema = atoms}),
            "stdin:1: expected a JSON line; for example "
            R"('{"types":["atom"],"children":[[]],"pull":{"element":[-1]}}', found '(1 a)')");
}

}  // namespace
}  // namespace cavs
