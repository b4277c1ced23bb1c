#include <gmock/gmock.h>
#include <zlib.h>

#include <cstring>
#include <fstream>

#include "cavs/data.h"
#include "cavs/model.h"
#include "cavs/parameters.h"
#include "cavs/vocabulary.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const Vocabulary& words() {
  static const Vocabulary kWords({"<unk>", "the", "The", "cat", "Paris"});
  return kWords;
}

/// The numbers as four bytes each.
std::string bytes(const std::vector<float>& numbers) {
  std::string text(numbers.size() * sizeof(float), '\0');
  std::memcpy(text.data(), numbers.data(), text.size());
  return text;
}

class Vectors : public testing::Test {
 protected:
  WordVectors load(const std::string& text) const {
    std::ofstream(path(), std::ios::binary) << text;
    return load_vectors(path(), words());
  }
  std::string error(const std::string& text) const {
    std::string message = error_of([&] { load(text); });
    if (message.starts_with(path())) message.erase(0, path().size());
    return message;
  }
  std::string path() const { return folder_ / "v"; }

 private:
  TemporaryFolder folder_;
};

TEST_F(Vectors, ReadGloVe) {
  const WordVectors found = load("cat 1 2.5\ndog 3 4\nthe -0.5 1e-3\n");
  EXPECT_EQ(found.width, 2);
  EXPECT_THAT(found.ids, ElementsAre(3, 1, 2));
  EXPECT_THAT(found.values, ElementsAre(1, 2.5F, -0.5F, 1e-3F, -0.5F, 1e-3F));
  EXPECT_EQ(found.lower_cased, 1) << "'The' has the vector of 'the'";
}

TEST_F(Vectors, ReadWord2vecAndFastTextAsText) {
  for (const std::string end : {"\n", " \n", "\r\n"}) {
    const WordVectors found = load("2 3" + end + "cat 1 2 3" + end + "dog 4 5 6" + end);
    EXPECT_EQ(found.width, 3);
    EXPECT_THAT(found.ids, ElementsAre(3));
    EXPECT_THAT(found.values, ElementsAre(1, 2, 3));
  }
}

TEST_F(Vectors, ReadBinaryWord2vec) {
  for (const std::string end : {"", "\n"}) {
    const WordVectors found =
        load("3 2\ncat " + bytes({1, 2}) + end + "dog " + bytes({3, 4}) + end + "The " + bytes({5, 6}) + end);
    EXPECT_THAT(found.ids, ElementsAre(3, 2));
    EXPECT_THAT(found.values, ElementsAre(1, 2, 5, 6));
    EXPECT_EQ(found.lower_cased, 0);
  }
}

TEST_F(Vectors, AnExactWordHasPriorityOverItsLowerCase) {
  for (const std::string text : {"the 1\nThe 2\n", "The 2\nthe 1\n"}) {
    const WordVectors found = load(text);
    ASSERT_THAT(found.ids, testing::UnorderedElementsAre(1, 2));
    EXPECT_EQ(found.values[found.ids[0] == 2 ? 0 : 1], 2);
    EXPECT_EQ(found.lower_cased, 0);
  }
}

TEST_F(Vectors, ReadAGzip) {
  gzFile file = gzopen(path().c_str(), "wb");
  gzputs(file, "cat 1 2\n");
  gzclose(file);
  EXPECT_THAT(load_vectors(path(), words()).values, ElementsAre(1, 2));
}

TEST_F(Vectors, ReadFilesLargerThanTheBuffer) {
  std::string text, binary = "40001 8\n";
  for (int i = 0; i < 40'000; ++i) {
    const std::string word = "other" + std::to_string(i);
    text += word + " 1 2 3 4 5 6 7 8.125\n";
    binary += word + " " + bytes({1, 2, 3, 4, 5, 6, 7, 8}) + "\n";
  }
  ASSERT_GT(text.size(), std::size_t{1} << 20);
  EXPECT_THAT(load(text + "Paris 8 7 6 5 4 3 2 1\n").values, ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_THAT(load(binary + "Paris " + bytes({8, 7, 6, 5, 4, 3, 2, 1})).values, ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
}

TEST_F(Vectors, SkipWordsWithSpaces) {
  EXPECT_THAT(load("cat 1 2\n. . . 3 4\nat cat@dog.com 5 6\nthe 7 8\n").ids, ElementsAre(3, 1, 2));
}

TEST_F(Vectors, ADuplicateWordKeepsTheFirstVectorAndGivesAWarning) {
  const WordVectors vectors = load("cat 1\ndog 1\ncat 2\nthe 3\nthe 4\n");
  EXPECT_THAT(vectors.values, ElementsAre(1, 3, 3));  // also the vector of "The"
  EXPECT_THAT(vectors.warnings, ElementsAre(path() + ":3: the word 'cat' is repeated, first at " + path() +
                                                ":1; the first vector is kept",
                                            "1 more words are repeated; the first vector of each is kept"));
  const std::string twice = "cat " + bytes({1, 2}) + "cat " + bytes({3, 4});
  EXPECT_THAT(load("2 2\n" + twice).values, ElementsAre(1, 2));
}

TEST_F(Vectors, MoreWordsThanTheHeaderCountsGiveAWarning) {
  const WordVectors vectors = load("1 1\ncat 1\nParis 2\n");
  EXPECT_THAT(vectors.values, ElementsAre(1, 2));
  EXPECT_THAT(vectors.warnings, ElementsAre(path() + ":1: expected 1 words, found 2; all of them are read"));
}

TEST_F(Vectors, MistakesInTextAreReportedByLine) {
  const std::string form = "expected word vectors in the form of GloVe or word2vec";
  for (const auto& [text, says] :
       std::vector<Mistake>{{"cat 1 2\nthe 1\n", ":2: 'the' has 1 numbers; expected 2, as in the first line"},
                            {"cat 1 2\ndog 1 2 3\n", ":2: 'dog' has 3 numbers; expected 2, as in the first line"},
                            {"\xFF\xFE 1 2\n\xFF 1\n", ":2: '?' has 1 numbers; expected 2, as in the first line"},
                            {"dog 1 2\ncat 1 x\n", ":2: number 2 of 'cat' is 'x'; expected a number"},
                            {"cat 1 nan\n", ":1: number 2 of 'cat' is not finite"},
                            {"cat 1 1e39\n", ":1: number 2 of 'cat' is not finite"},  // as a float
                            {"3 1\ncat 1\ndog 2\n", ":1: expected 3 words, found 2; the file is cut off"},
                            {"cat\n", ":1: vectors of 0 numbers; expected 1 to 65536"},
                            {"2 70000\ncat 1\n", ":1: vectors of 70000 numbers; expected 1 to 65536"},
                            {"", ": no word; " + form},
                            {"dog 1\n",
                             ": none of the 5 words of the vocabulary was found, such as 'Paris'; expected vectors of "
                             "words of the same language, written as in the data"},
                            {"\xBA\x16\x4F\x2F\x0C" + std::string(100, '\0'),
                             ": this is a fastText model, with parts of words; " + form +
                                 "; use the .vec file beside it, or write one with print-word-vectors of fastText"}})
    EXPECT_EQ(error(text), says);
  EXPECT_THAT(error(std::string((1 << 23) + 1, 'x')), HasSubstr("a line is longer than 8388608 bytes"));
}

TEST_F(Vectors, MistakesInBinaryAreReportedByWord) {
  const std::string cat = "cat " + bytes({1, 2});
  EXPECT_EQ(error("2 2\n" + cat + "the " + bytes({1})),
            ": word 2 of 2: 'the' has fewer than 2 floats of 4 bytes; the file is cut off");
  EXPECT_THAT(error("2 2\n" + cat), StartsWith(": word 2 of 2: no word; expected a word, a space and 2 floats"));
  EXPECT_THAT(error("999999999999 2\n" + cat), StartsWith(": word 2 of 999999999999: no word"));
  EXPECT_EQ(error("1 2\n" + cat + cat), ": expected 1 words, but more bytes follow; the file is damaged");
  EXPECT_EQ(error("1 2\ncat " + bytes({1, NAN})), ": word 1 of 1: number 2 of 'cat' is not finite");
  EXPECT_THAT(error("1 2\n" + std::string(20'000, '\x01')), HasSubstr("word 1 of 1: no word"));
}

TEST(SetVectors, FillsOnlyTheRowsOfTheTable) {
  Model model;
  const Lookup E = model.lookup("E", {5, 2}, Initializer::constant(9)), F = model.lookup("F", {3, 2});
  const Parameter W = model.parameter("W", {2, 2});
  model.vertex_function("f", [&](Vertex& v) {
    v.push("y", E(v.pull_index("word")) * W + F(v.pull_index("tag")) + E(v.pull_index("word")));
  });
  EXPECT_THAT(tables_read_by(model, "word"), ElementsAre("E"));
  EXPECT_THAT(tables_read_by(model, "tag"), ElementsAre("F"));
  EXPECT_THAT(tables_read_by(model, "label"), ElementsAre());
  const auto parameters = model.make_parameters();
  const auto version = parameters->version(0);
  set_vectors(*parameters, "E", {.width = 2, .ids = {3, 1}, .values = {1, 2, 3, 4}});
  EXPECT_THAT(parameters->values(0), ElementsAre(9, 9, 3, 4, 9, 9, 1, 2, 9, 9));
  EXPECT_GT(parameters->version(0), version);
  const auto error = [&](const std::string& table, const WordVectors& vectors) {
    return error_of([&] { set_vectors(*parameters, table, vectors); });
  };
  EXPECT_THAT(error("G", {}), HasSubstr("G"));
  EXPECT_THAT(error("W", {.width = 2}), HasSubstr("'W' [2, 2] is not a table"));
  EXPECT_THAT(error("E", {.width = 3}), HasSubstr("table 'E' is [5, 2], but the vectors have 3 numbers; expected 2"));
  EXPECT_THAT(error("E", {.width = 2, .ids = {5}, .values = {1, 2}}), HasSubstr("word 5 has a vector, but table 'E'"));
  EXPECT_THAT(error("E", {.width = 2, .ids = {1}, .values = {1}}), HasSubstr("have 1 numbers; expected 2"));
}

}  // namespace
}  // namespace cavs
