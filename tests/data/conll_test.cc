#include "data/conll.h"

#include <gmock/gmock.h>

#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

TEST(Conll, ReadsTokensAndTagsPerSentence) {
  const std::string text = "-DOCSTART- O\n\nCoronado I-ORG\nUnified I-ORG\n-DOCSTART- O\nis O\r\nhere\tO\n";
  const auto sentences = parse_conll(text, "t");
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_THAT(sentences[0].tokens, ElementsAre("Coronado", "Unified"));
  EXPECT_THAT(sentences[0].tags, ElementsAre("I-ORG", "I-ORG"));
  EXPECT_EQ(sentences[0].line, 3);
  EXPECT_THAT(sentences[1].tokens, ElementsAre("is", "here"));
  EXPECT_EQ(sentences[1].line, 6);
}

TEST(Conll, SkipsTokenNumbersAndOtherColumns) {
  const auto sentences = parse_conll("0\t1984\tB-MISC\n1\tby\tO\n", "t");
  EXPECT_THAT(sentences[0].tokens, ElementsAre("1984", "by"));
  EXPECT_THAT(parse_conll("EU NNP B-NP B-ORG\n", "t")[0].tokens, ElementsAre("EU"));
  EXPECT_THAT(parse_conll("1984 O\n", "t")[0].tokens, ElementsAre("1984"));
  EXPECT_THAT(parse_conll("1 EU NNP B-ORG\n2 said VBD O\n\n1 1984 CD O\n", "t")[1].tokens, ElementsAre("1984"));
}

TEST(Conll, KeepsTokensThatAreNumbers) {
  const auto sentences = parse_conll("LONDON NNP I-NP I-LOC\n1860 CD I-NP O\n\n1 CD I-NP O\n2 CD I-NP O\n", "t");
  EXPECT_THAT(sentences[0].tokens, ElementsAre("LONDON", "1860"));
  EXPECT_THAT(sentences[1].tokens, ElementsAre("1", "2"));  // numbers the tokens of one sentence only
  EXPECT_THAT(parse_conll("1 CD I-NP O\n3 CD I-NP O\n", "t")[0].tokens, ElementsAre("1", "3"));
}

TEST(Conll, StripsTheNumberFromACharacterButNeverTheCharacter) {
  const auto sentences = parse_conll(
      "李0\tB-PER.NAM\n310\tO\n\xEF\xBF\xBD\xEF\xBF\xBD"
      "1\tO\n",
      "t", {.column = TokenColumn::kNumberedCharacter});
  EXPECT_THAT(sentences[0].tokens, ElementsAre("李", "3", "\xEF\xBF\xBD\xEF\xBF\xBD"));
  EXPECT_THAT(sentences[0].tags, ElementsAre("B-PER.NAM", "O", "O"));
}

TEST(Conll, NamesTheLineOfAMistake) {
  expect_mistakes(
      {{"a O\nb\n", "2: expected a token and its tag, found only 'b'"},
       {"a O\n\nb PER\n",
        "3: expected a tag O, B-X, I-X, E-X or S-X (also M-X, L-X, U-X) in column 2, found 'PER'; tags=io reads "
        "classes of entities without B- and I-, tags=none any text"},
       {"\n\n", "3: no sentence; expected a token and its tag on each line, found the end of the text"},
       {"caf\xE9 O\n", "1: expected UTF-8, found the byte 0xE9; convert the file (iconv -f ENCODING -t UTF-8)"}},
      "t:", [](const std::string& text) { parse_conll(text, "t"); });
  EXPECT_EQ(
      error_of([] { parse_conll("李 O\n", "t", {.column = TokenColumn::kNumberedCharacter}); }),
      "t:1: expected a character and its number inside its word, found '李'; lattice:FILE reads characters without "
      "numbers");
}

TEST(Conll, NumbersTagsWithOutsideFirst) {
  const std::string text = "a I-B\nb B-A\nc O\n";
  const auto sentences = parse_conll(text, "t");
  TagNames names;
  names.add(sentences[0]);
  const auto tags = names.sorted();
  EXPECT_THAT(tags, ElementsAre("O", "B-A", "I-B"));
  EXPECT_THAT(TagIds(tags).of(sentences[0], "t"), ElementsAre(2, 1, 0));
  EXPECT_EQ(error_of([&] {
              const std::vector<std::string> others{"O", "B-A"};
              TagIds(others).of(sentences[0], "t");
            }),
            "t:1: the model does not know the tag 'I-B' of this sentence; known: O, B-A");
}

}  // namespace
}  // namespace cavs
