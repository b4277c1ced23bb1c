#include <gmock/gmock.h>

#include "cavs/data.h"
#include "cavs/graph.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/generators.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

/// Makes a graph of a text such as "(3 (2 a) (4 b))", with a vocabulary of its words.
InputGraph tree(const std::string& text) {
  const std::vector<Tree> trees = parse_treebank(text, "t");
  return to_graph(trees.front(), Vocabulary::from_trees(trees));
}

TEST(GraphBuilders, HaveDifferentNamesAndFollowTheirTargetSchema) {
  for (const GraphBuilder& builder : all_graph_builders()) {
    EXPECT_EQ(&find_graph_builder(builder.name), &builder);
    EXPECT_NE(builder.source, builder.target) << builder.name;
  }
  EXPECT_EQ(error_of([] { find_graph_builder("tree-with-output"); }).substr(0, 80),
            "unknown graph builder 'tree-with-output'; did you mean 'tree-with-outputs'? know");
}

TEST(TreeWithOutputs, PutsAnOutputOverEveryVertexAndMovesTheLabels) {
  const BuiltGraph built = find_graph_builder("tree-with-outputs").build(tree("(3 (2 a) (4 b))"));
  EXPECT_THAT(built.graph.types, ElementsAre(1, 0, 0, 2, 2, 2));
  EXPECT_THAT(built.graph.child_offsets, ElementsAre(0, 2, 2, 2, 3, 4, 5));
  EXPECT_THAT(built.graph.children, ElementsAre(1, 2, 0, 1, 2));
  EXPECT_THAT(built.graph.index_pulls[0], ElementsAre(-1, 1, 2, -1, -1, -1));
  EXPECT_THAT(built.graph.index_pulls[1], ElementsAre(-1, -1, -1, 3, 2, 4));
  EXPECT_THAT(built.outputs, ElementsAre(3, 4, 5));
}

TEST(TreeOfTwoTypes, DrawsAFairCoinThatDependsOnTheTreeOnly) {
  const GraphBuilder& builder = find_graph_builder("tree-of-two-types");
  const RandomTreeSource source({.leaves = 40}, 1);
  const Vocabulary words = load_data("random-trees:train=1,test=0").words;
  std::int64_t inner = 0, second = 0;
  for (int i = 0; i < 100; ++i) {
    const InputGraph sample = to_graph(source.tree(Split::kTrain, i), words);
    const BuiltGraph built = builder.build(sample);
    EXPECT_EQ(built.graph.types, builder.build(sample).graph.types);
    EXPECT_EQ(built.graph.children, find_graph_builder("tree-with-outputs").build(sample).graph.children);
    for (std::size_t v = 0; v < sample.types.size(); ++v) {
      EXPECT_TRUE(built.graph.types[v] == sample.types[v] || (sample.types[v] == 1 && built.graph.types[v] == 3));
      inner += sample.types[v] == 1;
      second += built.graph.types[v] == 3;
    }
  }
  EXPECT_GT(inner, 2'000);
  EXPECT_NEAR(static_cast<double>(second) / static_cast<double>(inner), 0.5, 0.04);
}

TEST(ThinkingTree, AddsAStepPerDoublingOfTheWords) {
  const BuiltGraph built = find_graph_builder("thinking-tree").build(tree("(3 (2 (1 a) (1 b)) (4 (0 c) (1 d)))"));
  // Vertices 0 to 6 are the tree and 7 to 13 are outputs. There are two steps over the root and one over each pair.
  EXPECT_THAT(built.graph.types, ElementsAre(1, 1, 0, 0, 1, 0, 0, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3));
  EXPECT_THAT(built.graph.children, ElementsAre(16, 17, 2, 3, 5, 6, 15, 16, 2, 3, 17, 5, 6, 0, 14, 1, 4));
  EXPECT_THAT(built.outputs, ElementsAre(7, 8, 9, 10, 11, 12, 13));
  EXPECT_EQ(built.graph.index_pulls[1][7], 3);
}

TEST(BuildGraphs, ConvertsSamplesAndOutputsAndKeepsConvertedGraphs) {
  const GraphBuilder& builder = find_graph_builder("tree-with-outputs");
  GraphSet trees(tree_schema());
  trees.add(tree("(1 a)"));
  trees.add(tree("(3 (2 a) (4 b))"));
  std::vector<std::int32_t> outputs;
  const GraphSet built = build_graphs(trees, builder, &outputs);
  EXPECT_EQ(built.schema(), builder.target);
  EXPECT_THAT(built.vertex_begin(), ElementsAre(0, 2, 8));
  EXPECT_THAT(outputs, ElementsAre(1, 3, 4, 5));
  EXPECT_EQ(build_graphs(built, builder).to_arrays().types, built.to_arrays().types);
}

TEST(BuildGraphs, NamesBothSchemasIfTheDataDoNotFit) {
  GraphSet chains(chain_schema());
  EXPECT_EQ(
      error_of([&] { build_graphs(chains, find_graph_builder("tree-with-outputs")); }),
      "the model builds its graphs (tree-with-outputs) from vertices of types leaf, inner with word, label, but the "
      "data have vertices of types token with word, label; expected data that fit, or graphs of types leaf, inner, "
      "output with word, label");
}

TEST(TimeDelay, JoinsNeighboursUntilOneVertexIsLeft) {
  const BuiltGraph built = find_graph_builder("time-delay").build(tree("(3 (2 (1 a) (1 b)) (4 c))"));
  EXPECT_THAT(built.graph.types, ElementsAre(0, 0, 0, 1, 1, 1, 2));
  EXPECT_THAT(built.graph.children, ElementsAre(0, 1, 1, 2, 3, 4, 5));
  EXPECT_THAT(built.graph.index_pulls[0], ElementsAre(1, 2, 3, -1, -1, -1, -1));
  EXPECT_THAT(built.graph.index_pulls[1], ElementsAre(-1, -1, -1, -1, -1, -1, 3));  // label of the root only
  EXPECT_THAT(built.outputs, ElementsAre(6, -1, -1, -1, -1));
  EXPECT_THAT(find_graph_builder("time-delay").build(tree("(2 a)")).graph.children, ElementsAre(0));
}

TEST(TimeDelay, ReadsLeavesFromLeftToRightWithAnyNumbering) {
  InputGraph sample;  // vertex 1 over 3 and 0; vertex 3 over 4 and 2
  sample.types = {0, 1, 0, 1, 0};
  sample.child_offsets = {0, 0, 2, 2, 4, 4};
  sample.children = {3, 0, 4, 2};
  sample.index_pulls = {{30, -1, 20, -1, 10}, {-1, 7, -1, -1, -1}};
  const BuiltGraph built = find_graph_builder("time-delay").build(sample);
  EXPECT_THAT(built.graph.index_pulls[0], ElementsAre(10, 20, 30, -1, -1, -1, -1));
  EXPECT_THAT(built.outputs, ElementsAre(-1, 6, -1, -1, -1));
  sample.child_offsets = {0, 0, 2, 2, 2, 2};
  sample.children = {3, 0};
  EXPECT_EQ(error_of([&] { find_graph_builder("time-delay").build(sample); }),
            "a time-delay model needs trees; found a graph of 5 vertices with 3 roots and 2 children");
}

}  // namespace
}  // namespace cavs
