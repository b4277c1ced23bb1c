#include <gmock/gmock.h>

#include "cavs/data.h"
#include "data/table_reader.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::string>> rows_of(const std::string& text, char separator = ',') {
  TableReader reader(text, "t.csv", separator);
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string> fields; reader.next(fields);) rows.push_back(fields);
  return rows;
}

TEST(TableReader, ReadsFieldsBetweenCommas) {
  EXPECT_THAT(rows_of("a,b\n1,\r\n,2"), ElementsAre(ElementsAre("a", "b"), ElementsAre("1", ""), ElementsAre("", "2")));
  EXPECT_THAT(rows_of("\xEF\xBB\xBF"
                      "a\n\n\r\nb\n"),
              ElementsAre(ElementsAre("a"), ElementsAre("b")));
  EXPECT_THAT(rows_of(""), ElementsAre());
}

TEST(TableReader, ReadsQuotedFieldsWithCommasLinesAndQuotes) {
  EXPECT_THAT(rows_of("\"a,b\",\"c\nd\"\r\n\"say \"\"x\"\"\",\"\"\n"),
              ElementsAre(ElementsAre("a,b", "c\nd"), ElementsAre("say \"x\"", "")));
}

TEST(TableReader, TreatsQuotesBetweenTabsAsText) {
  EXPECT_THAT(rows_of("a\"b\t\"c\n", '\t'), ElementsAre(ElementsAre("a\"b", "\"c")));
}

TEST(TableReader, CountsLinesAfterFieldsOfSeveralLines) {
  const std::string text = "a\n\"b\nc\"\n\nd\n";
  TableReader reader(text, "t", ',');
  std::vector<std::string> fields;
  std::vector<std::int64_t> lines;
  while (reader.next(fields)) lines.push_back(reader.line());
  EXPECT_THAT(lines, ElementsAre(1, 2, 5));
}

TEST(TableReader, ReportsInvalidQuotes) {
  expect_mistakes(
      {{"a,b\n1\n", "2: the row has 1 field; expected 2, as in the first row"},
       {"a\nx \"y\" z",
        "2: a quote inside the field 'x \"y\" z'; expected the whole field in quotes, and the quote doubled"},
       {"a\n\"b\nc", "2: the quote that begins here is not closed; expected '\"', found the end of the text"},
       {"\"a\"b,c", "1: expected ',' or the end of the line after a quoted field, found 'b,c'"},
       {"a,b\n\"c,d\ne\"f,g",
        "3: expected ',' or the end of the line after a quoted field (which begins in line 2), found 'f,g'"},
       {"a\n\xFF", "2: expected UTF-8, found the byte 0xFF; convert the file (iconv -f ENCODING -t UTF-8)"}},
      "t.csv:", [](const std::string& text) { rows_of(text); });
}

class Table : public testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& text) const {
    return cavs::written(folder_ / name, text);
  }
  std::string error_in(const std::string& text, const std::string& options, const DataOptions& data = {}) const {
    const std::string file = written("t.csv", text);
    const std::string error = error_of([&] { load_data("table:" + file + "," + options, data); });
    return error.starts_with(file) ? error.substr(file.size() - 5) : error;
  }
  TemporaryFolder folder_;
};

TEST_F(Table, MakesAChainOfATextWithTheLabelAtItsLastWord) {
  const std::string train = written("a.csv", "id,text,label\n1,a b a,pos\n2,\"c,\nb\",neg\n3,a,\n"),
                    dev = written("b.csv", "label,text,id\npos,d b,4\n");
  const Dataset data = load_data("table:train=" + train + ",dev=" + dev + ",text=text,label=label");
  EXPECT_EQ(data.kind, "table");
  EXPECT_EQ(data.train.schema(), tree_schema());
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "a", "b", "c,"));
  EXPECT_THAT(data.class_names, ElementsAre("neg", "pos"));
  EXPECT_EQ(data.classes, 2);
  EXPECT_THAT(data.train.types(), ElementsAre(0, 1, 1, 0, 1, 0));
  EXPECT_THAT(data.train.children(), ElementsAre(0, 1, 0));
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(1, 2, 1, 3, 2, 1));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(-1, -1, 1, -1, 0, -1));
  EXPECT_THAT(data.dev.index_pulls(0), ElementsAre(0, 2));
  EXPECT_EQ(load_data("table:" + train + ",text=text,label=label", {.limit = 1}).train.size(), 1);
}

TEST_F(Table, MayUseAColumnTwice) {
  const Dataset data = load_data("table:" + written("a.csv", "word\na\nb\n") + ",text=word,label=word");
  EXPECT_THAT(data.class_names, ElementsAre("a", "b"));
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(1, 2));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(0, 1));
}

TEST_F(Table, ReadsLabelsThatAreAllIntegersAsNumbers) {
  const std::string file = written("a.csv", "text,label\na,1\nb,10\n");
  const Dataset data = load_data("table:" + file + ",text=text,label=label");
  EXPECT_TRUE(data.class_names.empty());
  EXPECT_EQ(data.classes, 11);
  const std::string mixed = written("b.csv", "text,label\na,1\nb,x\n");
  EXPECT_THAT(load_data("table:" + mixed + ",text=text,label=label").class_names, ElementsAre("1", "x"));
}

TEST_F(Table, ReadsTabsWithoutAHeaderByColumnNumber) {
  const std::string file = written("a.tsv", "x\t\"a b\nyy\tc\n");
  const Dataset data = load_data("table:" + file + ",text=2,label=1,header=no");
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "\"a", "b", "c"));
  EXPECT_THAT(data.class_names, ElementsAre("x", "yy"));
  const std::string semicolons = written("b.csv", "text;label\na;1\n");
  EXPECT_EQ(load_data("table:" + semicolons + ",text=text,label=label,separator=semicolon").classes, 2);
}

TEST_F(Table, ReadsScoresOfTextsOfWhichSomeAreAbsent) {
  const std::string file = written("a.csv", "text,score\na b,-0.5\nb,\n");
  const Dataset data = load_data("table:" + file + ",text=text,score=score");
  EXPECT_THAT(data.train.schema().float_ports, ElementsAre(GraphSchema::FloatPort{.name = "score", .width = 1}));
  EXPECT_THAT(data.train.float_pulls(0), ElementsAre(0, -0.5F, 0));
  EXPECT_THAT(data.train.float_present(0), ElementsAre(0, 1, 0));
}

TEST_F(Table, JoinsPairsUnderAVertexWithTheLabelOrTheScore) {
  const std::string file = written("a.csv", "one,two,score,label\na b,c d e,4.5,yes\n");
  const Dataset labelled = load_data("table:" + file + ",text=one,pair=two,label=label");
  EXPECT_THAT(labelled.train.types(), ElementsAre(0, 1, 0, 1, 1, 1));
  EXPECT_THAT(labelled.train.children(), ElementsAre(0, 2, 3, 1, 4));
  EXPECT_THAT(labelled.train.index_pulls(0), ElementsAre(1, 2, 3, 4, 5, -1));
  EXPECT_THAT(labelled.train.index_pulls(1), ElementsAre(-1, -1, -1, -1, -1, 0));
  const Dataset scored = load_data("table:" + file + ",text=one,pair=two,score=score");
  EXPECT_THAT(scored.train.schema().types, ElementsAre("node", "pair"));
  EXPECT_THAT(scored.train.types(), ElementsAre(0, 0, 0, 0, 0, 1));
  EXPECT_THAT(scored.train.children(), ElementsAre(0, 2, 3, 1, 4));
  EXPECT_FLOAT_EQ(scored.train.float_pulls(0).back(), 4.5F);
  EXPECT_EQ(scored.classes, 5);
}

TEST_F(Table, ReadsWithTheNamesOfACheckpoint) {
  const std::string file = written("a.csv", "text,label\nb,y\n");
  const Vocabulary words({"<unk>", "a", "b"});
  const std::vector<std::string> tags{"x", "y"};
  const Dataset data =
      load_data("table:" + file + ",text=text,label=label", {.classes = 2, .class_names = &tags, .words = &words});
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(2));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(1));
  EXPECT_EQ(
      error_in("text,label\nb,z\n", "text=text,label=label", {.classes = 2, .class_names = &tags, .words = &words}),
      "t.csv:2: the model does not know the label 'z'; known: x, y");
  EXPECT_EQ(error_in("text,label\nb,7\n", "text=text,label=label", {.classes = 5, .words = &words}),
            "t.csv:2: the label is '7'; expected an integer 0 to 4");
}

TEST_F(Table, ReportsMistakes) {
  struct Row {
    const char *text, *options, *says;
  };
  const char* const table = "text,label,score\na,1,x\n";
  for (const auto& [text, options, says] : std::vector<Row>{
           {table, "label=label",
            "data 'table': expected either text=COLUMN or tree=COLUMN, as in table:FILE,text=COLUMN,label=COLUMN"},
           {table, "text=text", "data 'table': expected either label=COLUMN or score=COLUMN"},
           {table, "text=txet,label=label",
            "t.csv:1: no column 'txet'; did you mean 'text'? known: label, score, text"},
           {"text;label\na;1\n", "text=text,label=label,separator=comma",
            "t.csv:1: no column 'text'; the first row has one column, 'text;label', which seems to use another "
            "separator; add separator=semicolon"},
           {table, "text=4,label=1,header=no",
            "t.csv: no column '4'; expected a number from 1 to 3 (header=no means that columns have no names)"},
           {"a,a\n1,2\n", "text=a,label=2",
            "t.csv:1: two columns are named 'a'; give the number of the column, from 1"},
           {table, "text=text,score=score",
            "t.csv:2: the score is 'x'; expected a number, or an empty field for no score"},
           {"a,b,c\nx,y,6\n", "text=a,pair=b,score=c",
            "t.csv:2: the score of a pair is '6'; expected a number 1 to 5; range=LOW:HIGH names other bounds"},
           {"a,b\n \t,1\n", "text=a,label=b", "t.csv:2: column 'a' has no word in this row; expected a text"},
           {"a,b\n", "text=a,label=b", "t.csv: no row below the names of the columns; expected one sample per row"},
           {"", "text=a,label=b", "t.csv: no row; expected names of columns, and one sample per row"}})
    EXPECT_EQ(error_in(text, options), says);
}

TEST_F(Table, ReadsTreesFromFilesThatAColumnNames) {
  written("one.txt", "(S (NP a) (VP b))");
  written("two.txt", "(S b)");
  const std::string file = written("t.csv", "file,label\none.txt,yes\n./two.txt,no\n");
  const Dataset data = load_data("table:" + file + ",tree=file,label=label");
  EXPECT_THAT(data.train.types(), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "b", "a"));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(1, -1, -1, 0));
}

TEST_F(Table, ReadsNoFilesOutsideOfItsFolderOrWithSeveralTrees) {
  written("two.txt", "(a)(b)");
  const auto error_of_file = [&](const std::string& name) {
    return error_in("file,label\n" + name + ",1\n", "tree=file,label=label");
  };
  const std::string expected = "'; expected a name relative to the folder of the table, without '..'";
  EXPECT_EQ(error_of_file("../a.txt"), "t.csv:2: the file of the tree is '../a.txt" + expected);
  EXPECT_EQ(error_of_file("/dev/zero"), "t.csv:2: the file of the tree is '/dev/zero" + expected);
  EXPECT_EQ(error_of_file(""), "t.csv:2: the file of the tree is '" + expected);
  EXPECT_EQ(error_of_file("none.txt"),
            "t.csv:2: " + (folder_ / "none.txt") + " is not a file; expected a file with a tree");
  EXPECT_EQ(error_of_file("two.txt"), (folder_ / "two.txt") + ": found 2 trees; expected one, because a row of " +
                                          (folder_ / "t.csv") + " is one sample");
}

}  // namespace
}  // namespace cavs
