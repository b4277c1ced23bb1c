// Files as they occur in practice, by kind: each is read correctly, or refused with advice.

#include <gmock/gmock.h>

#include "cavs/data.h"
#include "data/conll.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Texts = std::map<std::string, std::string>;

Dataset loaded(const std::string& spec, const Texts& texts, DataOptions options = {}) {
  options.texts = &texts;
  return load_data(spec, options);
}
std::string loading_says(const std::string& spec, const Texts& texts, const DataOptions& options = {}) {
  return error_of([&] { loaded(spec, texts, options); });
}

TEST(KindsOfFiles, ALineWithTabsIsSplitOnlyAtTabs) {
  const Dataset data = loaded("conll:a", {{"a", "Nr\tB-X\nNew York\tB-LOC\nis O\n"}});
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "New York", "Nr", "is"));
  EXPECT_THAT(loading_says("conll:a", {{"a", "x O\n\t O\n"}}), HasSubstr("a:2: column 1 is empty; expected a token"));
}

TEST(KindsOfFiles, ColumnsAreNamedOrChosenAndReported) {
  const Texts germeval{{"a", "1\tIn\tO\tO\n2\tTroia\tB-OTH\tB-LOC\n3\tTraum\tI-OTH\tO\n\n1\tFC\tB-ORG\tO\n"}};
  const Dataset guessed = loaded("conll:a", germeval);
  EXPECT_THAT(guessed.class_names, ElementsAre("O", "B-LOC"));
  EXPECT_THAT(
      guessed.warnings,
      ElementsAre(
          "a: column 1 counts the tokens of every sentence, so the token is column 2; token=N chooses another column",
          "a: tags are read from column 4, the last one; column 3 looks like tags, too: tag=3 reads it "
          "instead"));
  const Dataset named = loaded("conll:a,token=2,tag=3", germeval);
  EXPECT_THAT(named.class_names, ElementsAre("O", "B-ORG", "B-OTH", "I-OTH"));
  EXPECT_THAT(named.warnings, IsEmpty());
  const Texts documents{{"a", "doc1 0 In O\ndoc1 1 Bonn B-LOC\n\ndoc2 0 so O\ndoc2 1 on O\n"}};
  EXPECT_THAT(loading_says("conll:a", documents),
              HasSubstr("a:1: column 1 is the same in all lines of a sentence, so it is not a token; name the columns "
                        "of token and tag among the 4 columns"));
  EXPECT_THAT(loaded("conll:a,token=3", documents).words.words(), ElementsAre("<unk>", "Bonn", "In", "on", "so"));
  EXPECT_THAT(loading_says("conll:a", {{"a", "1 x O\n2 y O\n\n3 z O\n4 w O\n"}}),
              HasSubstr("column 1 counts the lines"));
  EXPECT_THAT(loading_says("conll:a", {{"a", "101 x O\n102 y O\n\n104 z O\n105 w O\n"}}),
              HasSubstr("column 1 counts the lines"));
  EXPECT_THAT(loading_says("conll:a", {{"a", "x B-A y\nz O w\n"}}),
              HasSubstr("in column 3, found 'y'; column 2 looks like tags: tag=2 reads it"));
  EXPECT_THAT(loading_says("conll:a,token=5", {{"a", "x O\n"}}), HasSubstr("there are 2 columns"));
}

TEST(KindsOfFiles, CommentsBelongAboveSentencesAndHashesAreTokens) {
  const Dataset data = loaded("conll:a", {{"a", "# id 7\n# text = x y O\nx B-A\n# O\n\n# O\ny O\n\n#\nz O\n"}});
  EXPECT_EQ(data.train.size(), 3);
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "#", "x", "y", "z"));
  EXPECT_EQ(loaded("conll:a,tags=none", {{"a", "# text\nx N\n\n# S\ny S\n"}}).train.vertices(), 3);
}

TEST(KindsOfFiles, TagsMayFollowAnyScheme) {
  const Dataset bilou = loaded("conll:a", {{"a", "a U-P\nb B-L\nc L-L\n"}});
  EXPECT_EQ(bilou.tag_scheme, "bilou");
  EXPECT_THAT(bilou.class_names, ElementsAre("B-L", "L-L", "U-P"));
  EXPECT_EQ(loaded("conll:a", {{"a", "a B-N\nb M-N\nc E-N\n"}}).tag_scheme, "bmes");
  EXPECT_THAT(loaded("conll:a,tags=iobes", {{"a", "a U-P\nb B-L\nc L-L\n"}}).class_names,
              ElementsAre("B-L", "E-L", "S-P"));
  EXPECT_THAT(loaded("conll:a,tags=bmes", {{"a", "a I-P\nb I-P\nc I-P\n"}}).class_names,
              ElementsAre("B-P", "E-P", "M-P"));
  const Texts bare{{"a", "Vgl. O\nRAB PART\n1/2010 YEAR\n"}};
  EXPECT_THAT(loading_says("conll:a", bare), HasSubstr("tags=io reads classes of entities"));
  EXPECT_THAT(loaded("conll:a,tags=io", bare).class_names, ElementsAre("O", "PART", "YEAR"));
  EXPECT_THAT(loaded("conll:a,tags=io", {{"a", "a B-P\nb I-P\n"}}).class_names, ElementsAre("P"));
  const Dataset speech = loaded("conll:a,tags=none", {{"a", "the DT\ndog NN\nE-x B-x\n"}});
  EXPECT_THAT(speech.class_names, ElementsAre("B-x", "DT", "NN"));
  EXPECT_EQ(speech.tag_scheme, "none");
}

TEST(KindsOfFiles, LatticeFilesMayHaveAnyNamesAndTokenNumbers) {
  const Texts texts{{"a", "李 B-P\n明 E-P\n在 O\n"}, {"b", "李 S-P\n"}, {"l", "李明 3\n"}};
  const Dataset data = loaded("lattice:train=a,dev=b,lexicon=l", texts);
  EXPECT_EQ(data.train.vertices(), 1 + 3 * 2 + 1);
  EXPECT_EQ(data.dev.size(), 1);
  EXPECT_EQ(data.tag_scheme, "iobes");
  EXPECT_EQ(loaded("lattice:a,lexicon=l", {{"a", "李0 O\n明1 B-P\n"}, {"l", "李明"}}).words.id("李明"), 3);
  EXPECT_EQ(loaded("lattice:a,words=0", {{"a", "3 O\n10 B-P\n"}}).words.id("10"), 1);
  EXPECT_THAT(loading_says("lattice:a", {{"a", "李 O\n"}}), HasSubstr("expected lexicon=FILE"));
  EXPECT_THAT(loading_says("lattice:a,words=0", {{"a", "李0 O\n明1 O\n在 O\n"}}),
              HasSubstr("a:3: expected a character and its number inside its word, found '在'"));
}

TEST(KindsOfFiles, PublishedExpressionsAreReadWithTheirValues) {
  const std::string published = "( ( ( [MAX 2 ) 7 ) ] )";
  EXPECT_THAT(loaded("listops:a", {{"a", "Source\tTarget\n" + published + "\t7\n"}}).train.index_pulls(1),
              ElementsAre(7, -1, -1));
  EXPECT_EQ(loaded("listops:train=a,dev=b", {{"a", published + "\n"}, {"b", "5\t[MIN 5 6]\n"}}).dev.size(), 1);
  EXPECT_THAT(loading_says("listops:a", {{"a", published + "\t6\n"}}),
              HasSubstr("a:1: the value is given as '6', but the expression has the value 7"));
  EXPECT_THAT(loading_says("listops:a", {{"a", "( ( [MAX 2 ) 7 ]\n"}}), HasSubstr("expected ')'"));
  EXPECT_EQ(load_data("listops:train=5,test=2").train.size(), 5);
}

TEST(KindsOfFiles, ScoresMayHaveAnotherRange) {
  const Texts texts{{"a", "a\tb\ts\nx\ty\t5.000\nx\ty\t0\nx\ty\t\nx\ty\t-1\n"}};
  const std::string spec = "table:a,separator=tab,text=a,pair=b,score=s";
  EXPECT_THAT(loading_says(spec, texts), HasSubstr("expected a number 1 to 5; range=LOW:HIGH names other bounds"));
  const Dataset data = loaded(spec + ",range=0:5", texts);
  const auto scores = data.train.float_pulls(0);
  EXPECT_EQ(scores[2], 5);
  EXPECT_EQ(scores[5], 1);
  EXPECT_EQ(data.train.float_present(0)[8], 0);
  EXPECT_EQ(data.train.float_present(0)[11], 0);
  for (const char* bad : {"5:0", "0", "a:b", "0:inf"})
    EXPECT_THAT(loading_says(spec + ",range=" + bad, texts), HasSubstr("expected LOW:HIGH")) << bad;
}

TEST(KindsOfFiles, LabelsAreOptionalForPrediction) {
  const Vocabulary words({"<unk>", "x"});
  const std::vector<std::string> tags{"neg", "pos"};
  const GraphSchema schema = tree_schema();
  const DataOptions predicting{
      .for_prediction = true, .classes = 2, .class_names = &tags, .words = &words, .schema = &schema};
  const Texts texts{{"a", "n,text\n1,x\n"}};
  EXPECT_EQ(loaded("table:a,text=text,label=label", texts, predicting).train.size(), 1);
  EXPECT_EQ(loaded("table:a,text=text", texts, predicting).train.size(), 1);
  EXPECT_THAT(loading_says("table:a,text=text,label=label", texts), HasSubstr("no column 'label'"));
}

TEST(KindsOfFiles, ClassesThatCannotBeLearnedGiveAWarning) {
  const auto warnings = [](const std::string& spec, const Texts& texts) { return loaded(spec, texts).warnings; };
  EXPECT_THAT(warnings("table:a,text=t,label=y", {{"a", "t,y\nu,0\nu,1000\n"}}),
              ElementsAre(HasSubstr("999 of 1001 classes have no label in the training data: 1, 2, 3, 4, 5, ...")));
  EXPECT_THAT(warnings("trees:a", {{"a", "(N a)"}}), ElementsAre(HasSubstr("of one class, 'N'")));
  EXPECT_THAT(warnings("trees:train=a,dev=b", {{"a", "(N (A a))"}, {"b", "(B b)"}}),
              ElementsAre(HasSubstr("1 of 3 classes have no label in the training data: B")));
  EXPECT_THAT(loading_says("conllu:a,label=xpos", {{"a", "1\tx\t_\tN\t_\t_\t0\tr\t_\t_\n"}}),
              HasSubstr("no token has a label"));
}

TEST(KindsOfFiles, NumbersOutsideOfJsonAreReported) {
  for (const auto& [written, found] :
       {std::pair("NaN", "NaN"), {"nan", "nan"}, {"Infinity", "Infinity"}, {"-Infinity", "Infinity"}})
    EXPECT_THAT(
        loading_says("jsonl:a", {{"a", std::string("{\"children\":[[]],\"pull\":{\"x\":[[") + written + "]]}}"}}),
        HasSubstr(std::string("found ") + found + ", which is not valid in JSON; expected a number, or null"));
}

}  // namespace
}  // namespace cavs
