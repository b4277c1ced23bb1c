#include "data/sick.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "cavs/data.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;

SickTexts two_pairs() {
  return {.a_tokens = {"a.toks", "the kids play\nno\n"},
          .a_parents = {"a.parents", "2 3 0\n0\n"},
          .b_tokens = {"b.toks", "kids sleep\nyes\n"},
          .b_parents = {"b.parents", "2 0\n0\n"},
          .scores = {"sim.txt", "3.5\n1\n"}};
}

TEST(Sick, ReadsTwoTreesAndAScore) {
  const SickTexts texts = two_pairs();
  const auto pairs = parse_sick(texts);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_THAT(pairs[0].a.words, ElementsAre("the", "kids", "play"));
  EXPECT_THAT(pairs[0].a.heads, ElementsAre(1, 2, -1));
  EXPECT_EQ(pairs[0].a.root, 2);
  EXPECT_THAT(pairs[0].b.words, ElementsAre("kids", "sleep"));
  EXPECT_EQ(pairs[0].score, 3.5F);
  EXPECT_EQ(pairs[1].score, 1);
}

TEST(Sick, APairIsAVertexOverTwoRoots) {
  GraphSet graphs(tree_pair_schema());
  graphs.add(to_tree_pair({{1, 2, -1}, {5, 6, 7}, 2}, {{1, -1}, {6, 8}, 1}, 3.5F));
  EXPECT_THAT(graphs.types(), ElementsAre(0, 0, 0, 0, 0, 1));
  EXPECT_THAT(graphs.children(), ElementsAre(0, 1, 3, 2, 4));
  EXPECT_THAT(graphs.index_pulls(0), ElementsAre(5, 6, 7, 6, 8, -1));
  EXPECT_THAT(graphs.float_present(0), ElementsAre(0, 0, 0, 0, 0, 1));
  EXPECT_EQ(graphs.float_pulls(0)[5], 3.5F);
}

TEST(Sick, NamesTheFileAndLineOfAMistake) {
  struct Row {
    SickTexts::File SickTexts::*file;
    const char* text;
    const char* says;
  };
  for (const auto& [file, text, says] : std::vector<Row>{
           {&SickTexts::scores, "3.5\n5.1\n", "sim.txt:2: expected a number 1 to 5, found '5.1'"},
           {&SickTexts::scores, "3.5 2\n1\n", "sim.txt:1: expected one number, found '3.5 2'"},
           {&SickTexts::scores, "3.5\n",
            "sim.txt has 1 lines, but a.toks has 2; expected line n of both to belong to pair n"},
           {&SickTexts::b_parents, "2 0 1\n0\n",
            "b.parents:1: 3 heads for a sentence of 2 words; expected one head per word"},
           {&SickTexts::b_parents, "2 7\n0\n", "b.parents:1: expected a number 0 to 2, found '7'"},
           {&SickTexts::b_parents, "2 1\n0\n", "b.parents:1: no word is the root (head 0); expected one root"},
           {&SickTexts::a_tokens, "the kids play\n\nno\n",
            "a.toks:2: the line is blank; expected line n of every file to belong to pair n"}}) {
    SickTexts texts = two_pairs();
    (texts.*file).text = text;
    EXPECT_EQ(error_of([&] { parse_sick(texts); }), says);
  }
}

TEST(Sick, IsLoadedFromItsFolders) {
  const TemporaryFolder folder;
  const SickTexts texts = two_pairs();
  for (const std::string part : {"train", "dev"}) {
    std::filesystem::create_directory(folder / part);
    for (const auto* file : {&texts.a_tokens, &texts.a_parents, &texts.b_tokens, &texts.b_parents, &texts.scores})
      std::ofstream(folder / (part + "/" + file->name)) << file->text;
  }
  const std::string spec = "sick:" + (folder / "");
  const Dataset data = load_data(spec, {.limit = 1});
  EXPECT_EQ(data.train.size(), 1);
  EXPECT_EQ(data.dev.size(), 2);
  EXPECT_EQ(data.classes, 5);
  EXPECT_EQ(data.words.word(1), "kids");  // the only word that occurs twice
  EXPECT_EQ(data.train.schema(), tree_pair_schema());
  EXPECT_EQ(error_of([&] { load_data(spec, {.classes = 3}); }),
            "data 'sick': scores are 1 to 5, but the model has 3 classes; expected a model of scores");
  std::filesystem::remove(folder / "dev/sim.txt");
  EXPECT_THAT(error_of([&] { load_data(spec); }), testing::HasSubstr("sim.txt.gz exists"));
}

}  // namespace
}  // namespace cavs
