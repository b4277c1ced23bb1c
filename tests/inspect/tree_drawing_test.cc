#include "inspect/tree_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"

namespace cavs {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string draw(const std::string& text, const std::vector<std::int32_t>& predictions) {
  const Samples samples = parse_samples(text, {});
  const Tree* tree = samples.trees[0].size() > 0 ? &samples.trees[0] : nullptr;
  const std::vector<std::int32_t> labels = samples.graphs.to_arrays().index_pulls[1];
  return draw_tree(samples.graphs, 0, {vertex_words(samples.graphs, 0, tree, {}), predictions, labels});
}

TEST(TreeDrawing, ShowsPredictionsBesideTheLabels) {
  EXPECT_EQ(draw("[MAX 2 [MIN 4 7] 0]", {9, 0, 4, 0, 0, 0}),
            "MAX → 9 ✗ 4\n"
            "├─ 2\n"
            "├─ MIN → 4 ✓\n"
            "│  ├─ 4\n"
            "│  └─ 7\n"
            "└─ 0\n");
}

TEST(TreeDrawing, UsesNamesOfClassesIfTheyExist) {
  const std::vector<std::string> tags{"NP", "VP", "S"};
  const Samples samples = parse_samples("(S (NP it) (VP works))", {.classes = 3, .class_names = tags});
  const auto drawn = [&](const std::vector<std::int32_t>& predictions) {
    return draw_tree(samples.graphs, 0,
                     {.words = vertex_words(samples.graphs, 0, samples.trees.data(), {}),
                      .predictions = predictions,
                      .labels = samples.graphs.to_arrays().index_pulls[1],
                      .class_names = tags});
  };
  EXPECT_EQ(drawn({2, 0, 0}),
            "→ S ✓\n"
            "├─ it → NP ✓\n"
            "└─ works → NP ✗ VP\n");
  EXPECT_EQ(drawn({-1, -1, -1}),
            "·: S\n"
            "├─ it: NP\n"
            "└─ works: VP\n");
}

TEST(TreeDrawing, WithoutLabelsShowsEveryPrediction) {
  EXPECT_EQ(draw("((NP it) (VP works))", {3, 2, 4}),
            "→ 3\n"
            "├─ it → 2\n"
            "└─ works → 4\n");
}

TEST(TreeDrawing, WithoutWordAndPredictionShowsADot) {
  EXPECT_EQ(draw("((it) (works))", {-1, -1, -1}),
            "·\n"
            "├─ it\n"
            "└─ works\n");
}

TEST(TreeDrawing, DrawsSharedVerticesOnceAndMarksAbsentChildren) {
  EXPECT_EQ(
      draw(R"({"children":[[],[0,-1],[1,0]],"types":["leaf","inner","inner"],"pull":{"word":[5,-1,-1]}})", {1, 2, 3}),
      "→ 3\n"
      "├─ → 2\n"
      "│  ├─ #5 (vertex 0) → 1\n"
      "│  └─ (absent)\n"
      "└─ (vertex 0, see above)\n");
}

TEST(TreeDrawing, CountsVerticesThatAreTooDeep) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "(1 ";
  const std::string drawn = draw(text + "(1 x)" + std::string(100'000, ')'), std::vector<std::int32_t>(100'001, 1));
  EXPECT_THAT(drawn, EndsWith("(99900 more vertices are deeper)\n"));
}

TEST(VertexWords, ComeFromTheVocabularyWithoutATree) {
  const Samples samples =
      parse_samples(R"({"children":[[],[],[]],"types":["leaf","leaf","leaf"],"pull":{"word":[1,-1,7]}})", {});
  EXPECT_THAT(vertex_words(samples.graphs, 0, nullptr, Vocabulary({"<unk>", "film"})), ElementsAre("film", "", "#7"));
}

}  // namespace
}  // namespace cavs
