// Files as people have them, kind by kind, for every reader: read right, or refused with the way out.

#include <gmock/gmock.h>

#include "cavs/data.h"
#include "data/conll.h"
#include "data/count_comparisons.h"
#include "graphs/error_text.h"
#include "helpers/sanitizer.h"

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

std::vector<std::int32_t> labels_in(const GraphSet& graphs) {
  const auto& ports = graphs.schema().index_ports;
  const auto labels = graphs.index_pulls(std::ranges::find(ports, "label") - ports.begin());
  return {labels.begin(), labels.end()};
}

/// How one reader treats one kind of file.
struct Cell {
  const char* reader;  // a spec of the texts a, b and l
  const char* kind;
  Texts texts;
  std::string says;                       // a part of the message; empty: it is read
  std::vector<std::int32_t> labels = {};  // of the training part, where it is read
};

/// A cell of the table that does not apply.
struct NoCell {
  const char *reader, *kind, *because;
};

std::vector<Cell> cells() {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string conll = "conll:a", lattice = "lattice:a,lexicon=l", table = "table:a,text=t,label=y";
  const std::string inside = "found a carriage return in column ";
  const auto word = [](const std::string& id, const std::string& form, const std::string& tag,
                       const std::string& head) {
    return id + "\t" + form + "\t_\t" + tag + "\t_\t_\t" + head + "\tx\t_\t_\n";
  };
  return {
      {"conll:a",
       "carriage return inside a line",
       {{"a", "x B-A\ry O\nz O\n"}},
       "a:1: " + inside + "6, inside the line"},
      {"conllu:a", "carriage return inside a line", {{"a", word("1", "x\ry", "N", "0")}}, "a:1: " + inside + "4"},
      {"lattice:a,lexicon=l", "carriage return inside a line", {{"a", "x O\ry O\n"}, {"l", "xy\n"}}, "a:1: " + inside},
      {"table:a,text=t,label=y", "carriage return inside a line", {{"a", "t,y\nu\rv,1\n"}}, "a:2: " + inside + "2"},
      {"text:a", "carriage return inside a line", {{"a", "u v\rw\n"}}, "a:1: " + inside + "4"},
      {"parallel:a+b", "carriage return inside a line", {{"a", "u\n"}, {"b", "v\rw\n"}}, "b:1: " + inside + "2"},
      {"listops:a", "carriage return inside a line", {{"a", "[MAX 1 2]\t2\r[MIN 1 2]\t1\n"}}, "a:1: " + inside},
      {"trees:a", "carriage return inside a line", {{"a", "(1 (0 a)\r(0 b))"}}, "", {1, 0, 0}},
      {"jsonl:a", "carriage return inside a line", {{"a", "{\"children\":[[]],\r\"label\":[0]}"}}, "", {0}},

      {"conll:a",
       "unequal columns",
       {{"a", "x O\nNew York O\n"}},
       "a:2: 3 columns, while line 1 has 2; expected as many"},
      {"conllu:a", "unequal columns", {{"a", "1\tx\t_\n"}}, "a:1: expected 10 columns between tabs, found 3"},
      {"lattice:a,lexicon=l", "unequal columns", {{"a", "x O\ny z O\n"}, {"l", "xy\n"}}, "a:2: 3 columns"},
      {"table:a,text=t,label=y", "unequal columns", {{"a", "t,y\nu,1,2\n"}}, "a:2: the row has 3 fields; expected 2"},
      {"listops:a", "unequal columns", {{"a", "[MAX 1 2]\t2\tx\n"}}, "a:1: expected an expression and its value"},

      {"conll:a", "byte order marks inside", {{"a", mark + "x B-A\n" + mark + "y O\n"}}, "", {1, 0}},
      {"conllu:a",
       "byte order marks inside",
       {{"a", mark + word("1", "x", "N", "0") + "\n" + mark + "# c\n" + mark + word("1", "x", "V", "0")}},
       "",
       {0, 1}},
      {"table:a,text=t,label=y", "byte order marks inside", {{"a", mark + "t,y\nu,1\n" + mark + "v,0\n"}}, "", {1, 0}},
      {"trees:a", "byte order marks inside", {{"a", mark + "(1 a)\n" + mark + "(0 b)\n"}}, "", {1, 0}},
      {"listops:a",
       "byte order marks inside",
       {{"a", mark + "[MAX 1 2]\n" + mark + "[MIN 1 2]\n"}},
       "",
       {2, -1, -1, 1, -1, -1}},
      {"jsonl:a",
       "byte order marks inside",
       {{"a", "{\"children\":[[]],\"label\":[0]}\n" + mark + "{\"children\":[[]],\"label\":[1]}\n"}},
       "",
       {0, 1}},
      {"lattice:a,lexicon=l",
       "byte order marks inside",
       {{"a", "x B-A\n" + mark + "y O\n"}, {"l", "zz\n" + mark + "xy"}},
       "",
       {-1, -1, 1, -1, -1, 0}},

      {"conll:a", "no label", {{"a", "x B-A\ny _\nz\t-1\n"}}, "", {0, -1, -1}},
      {"conllu:a",
       "no label",
       {{"a", word("1", "x", "N", "0") + word("2", "y", "_", "1") + word("3", "z", "", "1")}},
       "",
       {0, -1, -1}},
      {"lattice:a,lexicon=l", "no label", {{"a", "x B-A\ny _\n"}, {"l", "zz\n"}}, "", {-1, -1, 0, -1, -1}},
      {"table:a,text=t,label=y", "no label", {{"a", "t,y\nu,1\nu,-1\nu,_\nu,\nu,0\n"}}, "", {1, -1, -1, -1, 0}},
      {"trees:a", "no label", {{"a", "(N (_ a) (-1 b) (c))"}}, "", {0, -1, -1, -1}},
      {"jsonl:a",
       "no label",
       {{"a", "{\"children\":[[],[],[],[]],\"label\":[\"N\",\"_\",null,-1]}"}},
       "",
       {0, -1, -1, -1}},
      {"listops:a", "no label", {{"a", "[MAX 1 2]\t_\n"}}, "", {2, -1, -1}},

      {"table:a,text=t,label=y", "leading zeros", {{"a", "t,y\nu,01\nv,1\n"}}, "", {0, 1}},
      {"trees:a", "leading zeros", {{"a", "(01 a)\n(1 b)\n"}}, "a:1: the label '01' is a name, while other labels"},
      {"conll:a,tags=none", "leading zeros", {{"a", "x 01\ny 1\n"}}, "", {0, 1}},
      {"jsonl:a", "leading zeros", {{"a", "{\"children\":[[],[]],\"label\":[\"01\",\"1\"]}"}}, "", {0, 1}},

      {"conllu:a",
       "cycles",
       {{"a", word("1", "x", "N", "2") + word("2", "y", "N", "1") + word("3", "z", "N", "0")}},
       "a:1: the heads of word 1 lead back to it: its head is 2"},
      {"jsonl:a", "cycles", {{"a", "{\"children\":[[1],[0]]}"}}, "edges in both directions"},
      {"jsonl:a",
       "large integers",
       {{"a", "{\"children\":[[]],\"pull\":{\"word\":[12345678901234567890]}}"}},
       "12345678901234567890"},
  };
}

const NoCell kNoCells[] = {
    {"trees:a", "unequal columns", "a tree has brackets, and no columns"},
    {"jsonl:a", "unequal columns", "a line is one object, and has no columns"},
    {"text:a", "unequal columns", "a line is a sentence of any length"},
    {"parallel:a+b", "unequal columns",
     "a line is a sentence of any length; lines that lack are an error of their own"},
    {"text:a", "no label", "labels are the words of the text"},
    {"parallel:a+b", "no label", "labels are the words of the target"},
    {"conllu:a", "leading zeros", "labels are names, never numbers: 01 and 1 are two"},
    {"listops:a", "leading zeros", "values are those of expressions: 01 is an error"},
    {"text:a", "leading zeros", "words are never numbers"},
    {"conll:a", "cycles", "a sentence is a chain"},
    {"trees:a", "cycles", "brackets cannot have any"},
    {"table:a,text=t,label=y", "large integers", "a label that is no integer up to 999,999 is a name"},
};

TEST(KindsOfFiles, EachReaderReadsThemRightOrNamesTheWayOut) {
  for (const Cell& cell : cells()) {
    SCOPED_TRACE(std::string(cell.reader) + ", " + cell.kind);
    if (!cell.says.empty()) {
      EXPECT_THAT(loading_says(cell.reader, cell.texts), HasSubstr(cell.says));
      continue;
    }
    ASSERT_EQ(loading_says(cell.reader, cell.texts), "no UserError");
    EXPECT_THAT(labels_in(loaded(cell.reader, cell.texts).train), testing::ElementsAreArray(cell.labels));
  }
  for (const NoCell& cell : kNoCells) EXPECT_NE(std::string(cell.because), "") << cell.reader << cell.kind;
}

TEST(KindsOfFiles, PackedOnesAreNamedWithTheirCommandByEveryReader) {
  const std::pair<std::string, const char*> kinds[] = {{std::string("\xFD") + "7zXZ" + std::string(2, '\0'), "xz -d"},
                                                       {"(\xB5/\xFD$*Q", "zstd -d"},
                                                       {"BZh91AY&SY\xE5", "bzip2 -d"},
                                                       {"PK\x03\x04\xFF", "unzip"},
                                                       {"\xFF\xFEx\x01", "iconv -f UTF-16 -t UTF-8"}};
  for (const char* spec : {"conll:a", "conllu:a", "lattice:a,lexicon=a", "table:a,text=t,label=y", "text:a", "trees:a",
                           "listops:a", "jsonl:a", "parallel:a+a"})
    for (const auto& [bytes, command] : kinds)
      EXPECT_THAT(loading_says(spec, {{"a", bytes}}), HasSubstr(command)) << spec;
}

TEST(KindsOfFiles, TabsAloneSeparateWhereALineHasSome) {
  const Dataset data = loaded("conll:a", {{"a", "Nr\tB-X\nNew York\tB-LOC\nis O\n"}});
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "New York", "Nr", "is"));
  EXPECT_THAT(loading_says("conll:a", {{"a", "x O\n\t O\n"}}), HasSubstr("a:2: column 1 is empty; expected a token"));
}

TEST(KindsOfFiles, ColumnsAreNamedOrChosenAndSaid) {
  const Texts germeval{{"a", "1\tIn\tO\tO\n2\tTroia\tB-OTH\tB-LOC\n3\tTraum\tI-OTH\tO\n\n1\tFC\tB-ORG\tO\n"}};
  const Dataset guessed = loaded("conll:a", germeval);
  EXPECT_THAT(guessed.tags, ElementsAre("O", "B-LOC"));
  EXPECT_THAT(guessed.warnings,
              ElementsAre("a: column 1 counts the tokens of every sentence, so the token is column 2; token=N names "
                          "another one",
                          "a: tags are read from column 4, the last one; column 3 looks like tags, too: tag=3 reads it "
                          "instead"));
  const Dataset named = loaded("conll:a,token=2,tag=3", germeval);
  EXPECT_THAT(named.tags, ElementsAre("O", "B-ORG", "B-OTH", "I-OTH"));
  EXPECT_THAT(named.warnings, IsEmpty());
  const Texts documents{{"a", "doc1 0 In O\ndoc1 1 Bonn B-LOC\n\ndoc2 0 so O\ndoc2 1 on O\n"}};
  EXPECT_THAT(loading_says("conll:a", documents),
              HasSubstr("a:1: column 1 is the same in all lines of a sentence, so it "
                        "is no token; say which of the 4 columns"));
  EXPECT_THAT(loaded("conll:a,token=3", documents).words.words(), ElementsAre("<unk>", "Bonn", "In", "on", "so"));
  EXPECT_THAT(loading_says("conll:a", {{"a", "1 x O\n2 y O\n\n3 z O\n4 w O\n"}}),
              HasSubstr("column 1 counts the lines"));
  EXPECT_THAT(loading_says("conll:a", {{"a", "x B-A y\nz O w\n"}}),
              HasSubstr("in column 3, found 'y'; column 2 looks like tags: tag=2 reads it"));
  EXPECT_THAT(loading_says("conll:a,token=5", {{"a", "x O\n"}}), HasSubstr("there are 2 columns"));
}

TEST(KindsOfFiles, CommentsStandAboveSentencesAndHashesAreTokens) {
  const Dataset data = loaded("conll:a", {{"a", "# id 7\n# text = x y O\nx B-A\n# O\n\n# O\ny O\n\n#\nz O\n"}});
  EXPECT_EQ(data.train.size(), 3);
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "#", "x", "y", "z"));
  EXPECT_EQ(loaded("conll:a,tags=none", {{"a", "# text\nx N\n\n# S\ny S\n"}}).train.vertices(), 3);
}

TEST(KindsOfFiles, TagsMayBeOfAnyScheme) {
  const Dataset bilou = loaded("conll:a", {{"a", "a U-P\nb B-L\nc L-L\n"}});
  EXPECT_EQ(bilou.tag_scheme, "bilou");
  EXPECT_THAT(bilou.tags, ElementsAre("B-L", "L-L", "U-P"));
  EXPECT_EQ(loaded("conll:a", {{"a", "a B-N\nb M-N\nc E-N\n"}}).tag_scheme, "bmes");
  EXPECT_THAT(loaded("conll:a,tags=iobes", {{"a", "a U-P\nb B-L\nc L-L\n"}}).tags, ElementsAre("B-L", "E-L", "S-P"));
  EXPECT_THAT(loaded("conll:a,tags=bmes", {{"a", "a I-P\nb I-P\nc I-P\n"}}).tags, ElementsAre("B-P", "E-P", "M-P"));
  const Texts bare{{"a", "Vgl. O\nRAB PART\n1/2010 YEAR\n"}};
  EXPECT_THAT(loading_says("conll:a", bare), HasSubstr("tags=io reads classes of entities"));
  EXPECT_THAT(loaded("conll:a,tags=io", bare).tags, ElementsAre("O", "PART", "YEAR"));
  EXPECT_THAT(loaded("conll:a,tags=io", {{"a", "a B-P\nb I-P\n"}}).tags, ElementsAre("P"));
  const Dataset speech = loaded("conll:a,tags=none", {{"a", "the DT\ndog NN\nE-x B-x\n"}});
  EXPECT_THAT(speech.tags, ElementsAre("B-x", "DT", "NN"));
  EXPECT_EQ(speech.tag_scheme, "none");
}

TEST(KindsOfFiles, LatticesAreOfAnyNamesWithOrWithoutNumbers) {
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
  const Texts texts{{"a", "a\tb\ts\nx\ty\t5.000\nx\ty\t0\nx\ty\t\n"}};
  const std::string spec = "table:a,separator=tab,text=a,pair=b,score=s";
  EXPECT_THAT(loading_says(spec, texts), HasSubstr("expected a number 1 to 5; range=LOW:HIGH names other bounds"));
  const Dataset data = loaded(spec + ",range=0:5", texts);
  const auto scores = data.train.float_pulls(0);
  EXPECT_EQ(scores[2], 5);
  EXPECT_EQ(scores[5], 1);
  EXPECT_EQ(data.train.float_present(0)[8], 0);
  for (const char* bad : {"5:0", "0", "a:b", "0:inf"})
    EXPECT_THAT(loading_says(spec + ",range=" + bad, texts), HasSubstr("expected LOW:HIGH")) << bad;
}

TEST(KindsOfFiles, LabelsAreNotNeededToPredict) {
  const Vocabulary words({"<unk>", "x"});
  const std::vector<std::string> tags{"neg", "pos"};
  const GraphSchema schema = tree_schema();
  const DataOptions predicting{.for_prediction = true, .classes = 2, .tags = &tags, .words = &words, .schema = &schema};
  const Texts texts{{"a", "n,text\n1,x\n"}};
  EXPECT_EQ(loaded("table:a,text=text,label=label", texts, predicting).train.size(), 1);
  EXPECT_EQ(loaded("table:a,text=text", texts, predicting).train.size(), 1);
  EXPECT_THAT(loading_says("table:a,text=text,label=label", texts), HasSubstr("no column 'label'"));
}

TEST(KindsOfFiles, ClassesThatNothingCanBeLearnedOfAreWarnedOf) {
  const auto warnings = [](const std::string& spec, const Texts& texts) { return loaded(spec, texts).warnings; };
  EXPECT_THAT(warnings("table:a,text=t,label=y", {{"a", "t,y\nu,0\nu,1000\n"}}),
              ElementsAre(HasSubstr("999 of 1001 classes have no label in the training data: 1, 2, 3, 4, 5, ...")));
  EXPECT_THAT(warnings("trees:a", {{"a", "(N a)"}}), ElementsAre(HasSubstr("of one class, 'N'")));
  EXPECT_THAT(warnings("trees:train=a,dev=b", {{"a", "(N (A a))"}, {"b", "(B b)"}}),
              ElementsAre(HasSubstr("1 of 3 classes have no label in the training data: B")));
  EXPECT_THAT(loading_says("conllu:a,label=xpos", {{"a", "1\tx\t_\tN\t_\t_\t0\tr\t_\t_\n"}}),
              HasSubstr("no token has a label"));
}

/// A text of a million bytes and more in one of the forms that cost much where a reader looks again at what it has
/// seen.
TEST(KindsOfFiles, NoReaderLooksAtATextAgainAndAgain) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has its own memchr";
  const std::pair<const char*, std::function<std::string(std::size_t)>> readers[] = {
      {"table:a,text=t,label=y", [](std::size_t n) { return "t,y\n" + std::string(n, 'x') + ",1\n"; }},
      {"table:a,text=t,label=y", [](std::size_t n) { return "t,y\n\"" + std::string(n, 'x') + "\",1\n"; }},
      {"table:a,text=t,label=y",
       [](std::size_t n) {
         std::string row = "t,y";
         for (std::size_t i = 0; i < n / 5; ++i) row += ",\"ab\"";
         return row + "\n" + row + "\n";
       }},
      {"conll:a", [](std::size_t n) { return std::string(n, 'x') + " O\ny B-A\n"; }},
      {"conll:a",
       [](std::size_t n) {
         std::string text;
         for (std::size_t i = 0; i < n / 6; ++i) text += "x B-A\n";
         return text;
       }},
      {"conllu:a", [](std::size_t n) { return "1\t" + std::string(n, 'x') + "\t_\tN\t_\t_\t0\tr\t_\t_\n"; }},
      {"lattice:a,words=0", [](std::size_t n) { return std::string(n, 'x') + " O\ny B-A\n"; }},
      {"text:a", [](std::size_t n) { return std::string(n, 'x') + "\n"; }},
      {"trees:a", [](std::size_t n) { return "(1 " + std::string(n, 'x') + ")"; }},
      {"listops:a", [](std::size_t n) { return "[MAX" + std::string(n, ' ') + "1 2]\t2\n"; }},
      {"jsonl:a", [](std::size_t n) { return "{\"children\":[[]]" + std::string(n, ' ') + ",\"label\":[0]}\n"; }}};
  for (const auto& [spec, text_of] : readers) {
    std::vector<double> a_byte;
    for (const std::size_t n : {std::size_t{1} << 20, std::size_t{2} << 20, std::size_t{4} << 20}) {
      const Texts texts{{"a", text_of(n)}};
      const std::int64_t before = comparisons() + bytes_searched();
      ASSERT_EQ(loading_says(spec, texts), "no UserError") << spec;
      a_byte.push_back(static_cast<double>(comparisons() + bytes_searched() - before) /
                       static_cast<double>(texts.at("a").size()));
    }
    EXPECT_LT(a_byte[2], 1.2 * a_byte[0] + 0.1) << spec;
    EXPECT_LT(a_byte[2], 100) << spec;
  }
}

}  // namespace
}  // namespace cavs
