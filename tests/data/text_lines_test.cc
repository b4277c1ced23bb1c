#include <gmock/gmock.h>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;

std::string line_error(const std::string& spec, const DataOptions& options = {}) {
  return error_of([&] { load_data(spec, options); });
}

std::vector<std::int32_t> read_of(const GraphSet& graphs) { return graphs.to_arrays().index_pulls[0]; }
std::vector<std::int32_t> labels_of(const GraphSet& graphs) { return graphs.to_arrays().index_pulls[1]; }

TEST(TextLines, SkipBlankLines) {
  const auto lines = parse_text("\xEF\xBB\xBF the cat \n\n \t\nsat\r\n", "t.txt", 5);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].text, " the cat ");
  EXPECT_EQ(lines[0].number, 5);
  EXPECT_EQ(lines[1].number, 8);
  EXPECT_THAT(split_words(lines[0].text), ElementsAre("the", "cat"));
  EXPECT_THAT(split_words(lines[1].text), ElementsAre("sat"));
  EXPECT_THAT(split_words(""), ElementsAre());
}

TEST(TextLines, ReportTheLineOfInvalidText) {
  expect_mistakes(
      {{"\n \n", "3: no word; expected a sentence or paragraph per line, found the end of the text"},
       {"a\ncaf\xE9", "2: expected UTF-8, found the byte 0xE9; convert the file (iconv -f ENCODING -t UTF-8)"}},
      "t.txt:", [](const std::string& text) { parse_text(text, "t.txt"); });
}

TEST(Chain, ReadsTheWordBeforeAndIsLabelledWithTheNext) {
  const std::vector<std::int32_t> words{7, 8, 1};
  const InputGraph graph = to_chain(1, words);
  EXPECT_THAT(graph.index_pulls[0], ElementsAre(1, 7, 8));
  EXPECT_THAT(graph.index_pulls[1], ElementsAre(7, 8, 1));
  EXPECT_THAT(graph.children, ElementsAre(0, 1));
  EXPECT_THAT(graph.child_offsets, ElementsAre(0, 0, 1, 2));
}

TEST(LoadText, MakesAChainPerLineWithTheWordsOfTheTrainingSet) {
  const TemporaryFolder folder;
  const std::string train = written(folder / "a.txt", "b a\n\na c a\n"), dev = written(folder / "b.txt", "a d");
  const Dataset data = load_data("text:train=" + train + ",dev=" + dev);
  EXPECT_EQ(data.kind, "text");
  EXPECT_EQ(data.train.schema(), chain_schema());
  EXPECT_EQ(data.dev.schema(), chain_schema());
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "<eos>", "a", "b", "c"));
  EXPECT_EQ(data.classes, 5);
  EXPECT_THAT(data.train.vertex_begin(), ElementsAre(0, 3, 7));
  EXPECT_THAT(read_of(data.train), ElementsAre(1, 3, 2, 1, 2, 4, 2));
  EXPECT_THAT(labels_of(data.train), ElementsAre(3, 2, 1, 2, 4, 2, 1));
  EXPECT_THAT(read_of(data.dev), ElementsAre(1, 2, 0));
  EXPECT_THAT(labels_of(data.dev), ElementsAre(2, 0, 1));
  EXPECT_THAT(data.train.levels(), ElementsAre(0, 1, 2, 0, 1, 2, 3));
}

TEST(LoadText, WithStepsIsOneStreamSplitIntoEqualChains) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "a.txt", "a b\nc\nd e f\n");  // a b <eos> c <eos> d e f <eos>
  const Dataset data = load_data("text:" + file + ",steps=4");
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "<eos>", "a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(data.train.vertex_begin(), ElementsAre(0, 4, 8));  // the last <eos> is dropped
  EXPECT_THAT(labels_of(data.train), ElementsAre(2, 3, 1, 4, 1, 5, 6, 7));
  EXPECT_THAT(read_of(data.train), ElementsAre(1, 2, 3, 1, 4, 1, 5, 6));  // each chain starts where the last one ended
  EXPECT_EQ(load_data("text:" + file, {.steps = 3}).train.size(), 3);
  EXPECT_EQ(load_data("text:" + file + ",steps=9", {.steps = 3}).train.size(), 1);
  EXPECT_EQ(line_error("text:" + file + ",steps=10"), file +
                                                          ": the text has 9 words, including an <eos> per line, which "
                                                          "is less than one chain of steps=10; use fewer steps");
}

TEST(LoadText, KeepsTheMostFrequentWordsAndCountsTheUnknownOnes) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "a.txt", "a a b <unk> c\nb a\n");
  EXPECT_THAT(load_data("text:" + file + ",vocabulary=4").words.words(), ElementsAre("<unk>", "<eos>", "a", "b"));
  EXPECT_THAT(load_data("text:" + file, {.vocabulary = 3}).words.words(), ElementsAre("<unk>", "<eos>", "a"));
  EXPECT_THAT(load_data("text:" + file + ",vocabulary=4", {.vocabulary = 3}).words.size(), 4);
  EXPECT_THAT(load_data("text:" + file, {.min_count = 2}).words.words(), ElementsAre("<unk>", "<eos>", "a", "b"));
  const Dataset data = load_data("text:" + file + ",vocabulary=2");
  EXPECT_THAT(labels_of(data.train), ElementsAre(0, 0, 0, 0, 0, 1, 0, 0, 1));
  EXPECT_EQ(data.classes, 2);
}

TEST(LoadText, TheLimitDoesNotAffectVocabularyAndDevelopmentSet) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "a.txt", "a\nb\nc\n");
  const Dataset data = load_data("text:train=" + file + ",dev=" + file, {.limit = 1});
  EXPECT_EQ(data.train.size(), 1);
  EXPECT_EQ(data.dev.size(), 3);
  EXPECT_EQ(data.words.size(), 5);
  EXPECT_EQ(load_data("text:" + file + ",steps=2", {.limit = 2}).train.size(), 2);
}

TEST(LoadText, AcceptsALineOfAHundredThousandWords) {
  const TemporaryFolder folder;
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "w" + std::to_string(i % 977) + " ";
  const Dataset data = load_data("text:" + written(folder / "long.txt", line));
  EXPECT_EQ(data.train.vertices(), 100'001);
  EXPECT_EQ(statistics(data.train).max_depth, 100'000);
  EXPECT_EQ(data.words.size(), 979);
}

TEST(LoadText, UsesTheVocabularyOfACheckpointAndRefusesOneWithoutEndOfLine) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "a.txt", "a b\n");
  const Vocabulary words({"<unk>", "<eos>", "b"}), of_trees({"<unk>", "a"});
  EXPECT_THAT(labels_of(load_data("text:" + file, {.classes = 3, .words = &words}).train), ElementsAre(0, 2, 1));
  EXPECT_EQ(line_error("text:" + file, {.classes = 5, .words = &of_trees}),
            "data 'text': labels are words, but the model has 2 words (without <eos>) and 5 classes; expected a model "
            "that was trained on text");
}

TEST(LoadText, ReportsMistakesInTheSpec) {
  EXPECT_EQ(line_error("text"), "data 'text': no file; expected text:FILE or text:train=FILE,dev=FILE");
  EXPECT_THAT(line_error("text:missing,comma.txt,steps=4"),
              testing::HasSubstr("missing,comma.txt: cannot open the file"));
}

}  // namespace
}  // namespace cavs
