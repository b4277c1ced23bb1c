// The forms of samples in text: how each is parsed, and that its example can be parsed.

#include <gmock/gmock.h>

#include <sstream>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "data/dependency_graph.h"
#include "data/dependency_text.h"
#include "data/input_form.h"
#include "data/lexicon.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SampleOptions reading(const GraphSchema& schema, const std::string& kind = "") {
  SampleOptions options{
      .words = Vocabulary({"<unk>", "Anna", "runs", "dog", "the", "李", "明", "李明"}), .schema = schema, .classes = 3};
  options.data_kind = kind;
  options.class_names = {"O", "B-PER", "I-PER"};
  options.lexicon = std::make_shared<Lexicon>("李明 3\n", "lexicon");
  return options;
}

std::string form_error(const std::string& text, SampleOptions options) {
  return error_of([&] { parse_samples(text, std::move(options)); });
}

std::vector<SampleOptions> all_models() {
  return {reading(tree_schema()),
          reading(tree_schema(), "conllu"),
          reading(chain_schema()),
          reading(spelled_chain_schema()),
          reading(lattice_schema()),
          reading(tree_pair_schema()),
          reading({.types = {"atom"}, .index_ports = {"element"}, .float_ports = {{"place", 3}}})};
}

TEST(InputForms, TheExampleOfAFormIsReadByEveryModelThatItFits) {
  for (const SampleOptions& options : all_models())
    for (const InputForm* form : all_input_forms()) {
      if (!form->fits(options)) continue;
      SCOPED_TRACE(form->name);
      SampleOptions asked = options;
      asked.form = form->name;
      EXPECT_EQ(parse_samples(form->example(options), asked).graphs.size(), 1);
    }
}

TEST(InputForms, TheErrorShowsAnAcceptedLine) {
  for (const SampleOptions& options : all_models()) {
    if (options.schema.types.front() == "token" || options.schema == lattice_schema()) continue;  // accept any line
    const std::string message = form_error("hello there", options);
    const auto begin = message.find("for example '") + 13, end = message.find("', found");
    ASSERT_NE(end, message.npos) << message;
    EXPECT_EQ(parse_samples(message.substr(begin, end - begin), options).graphs.size(), 1) << message;
  }
}

TEST(InputForms, TheErrorDescribesTheFormsThatTheModelReads) {
  EXPECT_EQ(
      form_error("the dog runs", reading(tree_schema(), "conllu")),
      "stdin:1: expected a dependency tree in brackets, or CoNLL-U, or a JSON line; for example '(runs (dog (the)) "
      "(.))', found 'the dog runs'");
  EXPECT_EQ(form_error("a dog runs", reading(tree_pair_schema())),
            "stdin:1: expected two dependency trees separated by a tab, or a JSON line; for example '(runs (dog "
            "(a)))\t(walks (dog (the)))', found 'a dog runs'");
  SampleOptions unknown = reading(lattice_schema());
  unknown.lexicon = nullptr;
  EXPECT_EQ(form_error("李明\n", unknown),
            "stdin:1: the model reads lattices of characters and words, but no lexicon is given; expected a JSON line, "
            "or one sentence per line if a lexicon is given; for example "
            R"('{"types":["position","character","position"],"children":[[],[0],[1]],"pull":{"word":[-1,0,-1]}}')");
}

TEST(InputForms, ThatDoNotFitAreRefusedByName) {
  SampleOptions options = reading(chain_schema());
  options.form = "conllu";
  EXPECT_EQ(form_error("a b\n", options),
            "the model does not accept conllu (CoNLL-U); expected one sentence per line, or a token, a tab and its tag "
            "on each line, or a JSON line; for example 'Anna lives in Rome'");
  options.form = "conl";
  EXPECT_THAT(form_error("a b\n", options), HasSubstr("did you mean 'conll'?"));
}

TEST(InputForms, SentencesAreChains) {
  const Samples samples = parse_samples("Anna runs\r\n\nthe zebra\n", reading(chain_schema()));
  ASSERT_EQ(samples.graphs.size(), 2);
  EXPECT_THAT(samples.graphs.index_pulls(0), ElementsAre(1, 2, 4, 0));
  EXPECT_THAT(samples.graphs.index_pulls(1), ElementsAre(-1, -1, -1, -1));
  EXPECT_THAT(samples.texts[1].tokens, ElementsAre("the", "zebra"));
  EXPECT_THAT(samples.texts[1].vertices, ElementsAre(0, 1));
  EXPECT_TRUE(samples.texts[1].expected.empty());
}

TEST(InputForms, UnknownWordsAreSpelledAsInTraining) {
  const Samples samples = parse_samples("Anna up\n", reading(spelled_chain_schema()));
  const GraphSet& graphs = samples.graphs;
  EXPECT_THAT(graphs.types(), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(graphs.index_pulls(0), ElementsAre(1, -1, -1, -1));
  EXPECT_THAT(graphs.index_pulls(2), ElementsAre(-1, -1, 'u', 'p'));
  EXPECT_THAT(samples.texts[0].vertices, ElementsAre(0, 1));
}

TEST(InputForms, ColumnsAreRecognisedByATagOfTheModel) {
  const Samples samples =
      parse_samples("Anna B-PER\nruns O\n\nthe dog\n-DOCSTART- O\n\ndog O\n", reading(chain_schema()));
  ASSERT_EQ(samples.graphs.size(), 3);
  EXPECT_THAT(samples.texts[0].expected, ElementsAre("B-PER", "O"));
  EXPECT_THAT(samples.texts[1].tokens, ElementsAre("the", "dog"));
  EXPECT_THAT(samples.texts[2].tokens, ElementsAre("dog"));
  EXPECT_THAT(samples.graphs.index_pulls(1), ElementsAre(1, 0, -1, -1, 0));
}

TEST(InputForms, ASentenceMayEndInATag) {
  const Samples samples =
      parse_samples("The dog of Anna is O\nH 2 O\n\nAnna\tO\n\nAnna B-PER\n", reading(chain_schema()));
  ASSERT_EQ(samples.graphs.size(), 4);
  EXPECT_THAT(samples.texts[0].tokens, ElementsAre("The", "dog", "of", "Anna", "is", "O"));
  EXPECT_THAT(samples.texts[1].tokens, ElementsAre("H", "2", "O"));
  EXPECT_THAT(samples.texts[1].where, "stdin:2");
  for (const std::size_t columns : {2U, 3U}) EXPECT_THAT(samples.texts[columns].tokens, ElementsAre("Anna"));
}

TEST(InputForms, SentencesThatLookLikeColumnsAreScannedOnce) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "dog O\n";
  EXPECT_EQ(parse_samples(text + "the dog of Anna\n", reading(chain_schema())).graphs.size(), 20'001);
}

TEST(InputForms, PublishedExpressionsAreNotReadAsTreesOfWords) {
  SampleOptions options = reading(tree_schema());
  options.class_names.clear();
  options.classes = 10;
  const Samples samples = parse_samples("( ( ( [MAX 2 ) 7 ) ] )\n(3 (2 Anna) (4 runs))\n", options);
  ASSERT_EQ(samples.graphs.size(), 2);
  EXPECT_THAT(samples.graphs.index_pulls(1), ElementsAre(7, -1, -1, 3, 2, 4));
}

TEST(InputForms, TagsAreConvertedToTheSchemeOfTheModel) {
  SampleOptions options = reading(chain_schema());
  options.tag_scheme = "iobes";
  EXPECT_THAT(parse_samples("Anna S-PER\nruns O\n", options).texts[0].expected, ElementsAre("S-PER", "O"));
  const Samples samples = parse_samples("Anna B-PER\nruns I-PER\nthe B-PER\ndog O\n", options);
  EXPECT_THAT(samples.texts[0].expected, ElementsAre("B-PER", "E-PER", "S-PER", "O"));
}

TEST(InputForms, ColumnsMayLackTagsEntirelyButNotPartly) {
  SampleOptions options = reading(chain_schema());
  options.form = "conll";
  EXPECT_THAT(parse_samples("Anna\nruns\n", options).texts[0].tokens, ElementsAre("Anna", "runs"));
  EXPECT_EQ(
      form_error("dog O\n\nAnna\nruns O\n", options),
      "stdin:4: 2 columns, but line 3 has 1; expected the same number in every line (a token with a blank inside needs "
      "tabs between the columns)");
}

TEST(InputForms, CharactersGiveLatticesOfTheWordsInTheLexicon) {
  const Samples samples = parse_samples("李 明x\n", reading(lattice_schema()));
  // Vertices 0, 2, 5 and 7 are positions. The arcs are 李, 明, 李明 and x; 明 and 李明 end at the same position.
  EXPECT_THAT(samples.graphs.types(), ElementsAre(2, 0, 2, 0, 1, 2, 0, 2));
  EXPECT_THAT(samples.graphs.index_pulls(0), ElementsAre(-1, 5, -1, 6, 7, -1, 0, -1));
  EXPECT_THAT(samples.texts[0].tokens, ElementsAre("李", "明", "x"));
  EXPECT_THAT(samples.texts[0].vertices, ElementsAre(2, 5, 7));
}

TEST(InputForms, DependencyTreesHaveWordsAtInnerVertices) {
  const Samples samples = parse_samples("(((the) dog) runs)\n(runs\n (dog))", reading(tree_schema(), "conllu"));
  ASSERT_EQ(samples.graphs.size(), 2);
  EXPECT_THAT(samples.graphs.index_pulls(0), ElementsAre(4, 3, 2, 2, 3));
  EXPECT_THAT(samples.graphs.types(), ElementsAre(0, 1, 1, 1, 0));
  EXPECT_THAT(samples.texts[0].tokens, ElementsAre("the", "dog", "runs"));
}

TEST(InputForms, PairsAreTwoTreesOrTwoSentencesWithHeads) {
  const SampleOptions options = reading(tree_pair_schema());
  const Samples samples = parse_samples("((dog) runs)\t(Anna)\t4.5\ndog runs\t2 0\tAnna\t0\r\n", options);
  ASSERT_EQ(samples.graphs.size(), 2);
  EXPECT_THAT(samples.graphs.index_pulls(0), ElementsAre(3, 2, 1, -1, 3, 2, 1, -1));
  EXPECT_EQ(samples.graphs.float_pulls(0)[3], 4.5F);
  EXPECT_THAT(samples.graphs.float_present(0), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_EQ(
      form_error("a dog\ta cat\n", options),
      "stdin:1: 2 columns separated by tabs; expected two trees, as in '(runs (dog (a)))\t(walks (dog (the)))', or two "
      "sentences, each with the heads of its words, as in 'a dog runs\t2 3 0\t...', and optionally a score; sentences "
      "without heads are not parsed");
  EXPECT_THAT(form_error("(a)(b)\t(c)\n", options), HasSubstr("found 2 trees between two tabs; expected one"));
  EXPECT_THAT(form_error("a b\t2 1\tc\t0\n", options), HasSubstr("no word is the root"));
  EXPECT_EQ(form_error("(a)\t(b)\t9\n", options), "stdin:1: expected a number 1 to 5, found '9'");
}

TEST(DependencyText, NumbersWordsInTextOrder) {
  const auto trees = parse_dependency_text("(runs (dog (the)) (.))\n(((the) dog) runs (-LRB-))", "t");
  ASSERT_EQ(trees.size(), 2U);
  EXPECT_THAT(trees[0].words, ElementsAre("runs", "dog", "the", "."));
  EXPECT_THAT(trees[0].heads, ElementsAre(-1, 0, 1, 0));
  EXPECT_THAT(trees[1].words, ElementsAre("the", "dog", "runs", "("));
  EXPECT_THAT(trees[1].heads, ElementsAre(1, 2, -1, 2));
  EXPECT_EQ(trees[1].line, 2);
}

TEST(DependencyText, NamesTheLineOfAMistake) {
  const std::string expected = "; expected one word and the brackets of its dependents, as in '(runs (dog (the)) (.))'";
  expect_mistakes({{"(a)\n(NP the (dog))", "2: found the words 'NP' and 'the' in one bracket" + expected},
                   {"((a) (b))", "1: a bracket without a word" + expected},
                   {"(a\n(b)", "1: the tree that begins here is not closed; expected ')', found the end of the text"},
                   {"(a))", "1: one ')' too many; expected '(' or the end of the text, found ')'"},
                   {"a (b)", "1: expected '(' at the beginning of a tree, found 'a'"}},
                  "t:", [](const std::string& text) { parse_dependency_text(text, "t"); });
}

TEST(DependencyText, MayBeAsDeepAsMemoryAllows) {
  constexpr int kDepth = 300'000;
  std::string text;
  for (int k = 0; k < kDepth; ++k) text += "(a ";
  text += std::string(kDepth, ')');
  const auto trees = parse_dependency_text(text, "t");
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(trees[0].heads.back(), kDepth - 2);
}

}  // namespace
}  // namespace cavs
