#include "data/listops.h"

#include <gmock/gmock.h>

#include "cavs/readers.h"
#include "data/tree_text.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

int value_of(const std::string& text) { return parse_listops(text, "t").at(0).labels[0]; }

TEST(ListOps, LabelsEveryOperatorWithItsValue) {
  EXPECT_EQ(to_text(parse_listops("[MAX 2 9 [MIN 4 7] 0]", "t")[0]), "-:9=MAX 0=2 0=9 0:4=MIN 3=4 3=7 0=0");
}

TEST(ListOps, ReadsTheOriginalSpacing) {
  EXPECT_EQ(parse_listops("[MAX 2 9 [MIN 4 7 ] 0 ]\n", "t"), parse_listops("[ MAX 2 9[MIN 4 7]0]", "t"));
}

TEST(ListOps, ReadsManyExpressionsAndReportsTheirLines) {
  const auto trees = parse_listops("[MAX 1 2] [MIN 1\n2]\n\n[SM 3 4]", "t");
  ASSERT_EQ(trees.size(), 3U);
  EXPECT_THAT((std::vector{trees[0].line, trees[1].line, trees[2].line}), ElementsAre(1, 1, 4));
}

TEST(ListOps, EvaluatesNestedOperators) {
  const std::vector<std::pair<const char*, int>> cases{
      {"[MAX 3 8 5]", 8},
      {"[MIN 3 8 5]", 3},
      {"[MAX 4]", 4},
      {"[MED 9 1 5]", 5},
      {"[MED 2 5]", 3},  // the mean of the two middle values, rounded down
      {"[MED 9 0 4 7]", 5},
      {"[MED 6]", 6},
      {"[SM 7 8 9]", 4},
      {"[SUM_MOD 7 8 9]", 4},
      {"[SM [MAX 1 5] [MIN 8 [MED 9 9 2]] [SM 4 4 4]]", (5 + 8 + 2) % 10}};
  for (const auto& [text, value] : cases) EXPECT_EQ(value_of(text), value) << text;
  EXPECT_THAT(words_of(parse_listops("[SUM_MOD 1 2]", "t")[0]), ElementsAre("SM", "1", "2"));
}

TEST(ListOps, EvaluatesAMillionNestedOperators) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "[SM 1 ";
  EXPECT_EQ(value_of(text + "0" + std::string(1'000'000, ']')), 0);
}

TEST(ListOps, EvaluatesAnOperatorOfTenThousandArguments) {
  std::string text = "[MED";
  for (int i = 0; i < 10'000; ++i) text += i < 5'000 ? " 2" : " 7";
  EXPECT_EQ(value_of(text + "]"), 4);
}

TEST(ListOps, ReportsMistakes) {
  expect_mistakes(
      {{"", "1: no expression; expected one such as '[MAX 2 9]', found the end of the text"},
       {"\n[MAXX 1 2]",
        "2: expected an operator after '[', found 'MAXX'; did you mean 'MAX'? known: MAX, MED, MIN, SM, SUM_MOD"},
       {"[MAX 1 12]", "1: expected a digit 0 to 9, '[' or ']', found '12'"},
       {"7", "1: expected '[' at the beginning of an expression, found '7'"},
       {"[MAX 1 2]\n]", "2: one ']' too many; expected '[' or the end of the text, found ']'"},
       {"[MAX ]", "1: MAX has no argument; expected a digit or '[', found ']'"},
       {"[MAX 1\n [MIN 2", "1: the expression that begins here is not closed; expected ']', found the end of the text"},
       {"[MAX 1 \xFF]", "1: expected UTF-8, found the byte 0xFF; convert the file (iconv -f ENCODING -t UTF-8)"}},
      "l.txt:", [](const std::string& text) { parse_listops(text, "l.txt"); });
}

TEST(ListOps, HasItsOwnVocabulary) {
  EXPECT_THAT(listops_vocabulary().words(),
              ElementsAre("<unk>", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "MAX", "MIN", "MED", "SM"));
}

}  // namespace
}  // namespace cavs
