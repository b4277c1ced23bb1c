#include "data/generators.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/listops.h"
#include "data/tree_text.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

std::string listops_text(const Tree& tree, std::int32_t v = 0) {
  std::string text(tree.word(v));
  std::string arguments;
  for (std::int32_t child = v + 1; child < tree.size(); ++child)
    if (tree.parents[child] == v) arguments += " " + listops_text(tree, child);
  return arguments.empty() ? text : "[" + text + arguments + "]";
}

int depth_of(const Tree& tree, std::int32_t v) {
  int depth = 0;
  for (; v >= 0; v = tree.parents[v]) ++depth;
  return depth;
}

TEST(ListOpsGenerator, StaysWithinItsLimits) {
  EXPECT_TRUE(rc::check([] {
    const ListOpsOptions options{.length = *rc::gen::inRange(4, 100),
                                 .max_arguments = *rc::gen::inRange(2, 8),
                                 .max_depth = *rc::gen::inRange(1, 8)};
    const Tree tree = generate_listops(options, *rc::gen::arbitrary<std::uint64_t>(), Split::kTrain, 3);
    int tokens = 0;
    for (std::int32_t v = 0; v < tree.size(); ++v) {
      const bool is_operator = tree.labels[v] >= 0;
      tokens += is_operator ? 2 : 1;
      const auto arguments = std::count(tree.parents.begin(), tree.parents.end(), v);
      RC_ASSERT((is_operator ? arguments >= 2 && arguments <= options.max_arguments : arguments == 0));
      RC_ASSERT(!is_operator || depth_of(tree, v) <= options.max_depth);
    }
    RC_ASSERT(tokens <= options.length);
  }));
}

TEST(ListOpsGenerator, MatchesTheParsedText) {
  for (int i = 0; i < 200; ++i) {
    const Tree tree = generate_listops({}, 1, Split::kTrain, i);
    Tree parsed = parse_listops(listops_text(tree), "t").at(0);
    parsed.line = 0;
    EXPECT_EQ(parsed, tree) << listops_text(tree);
  }
}

TEST(ListOpsGenerator, GivesTheSameSamplesOnEveryMachine) {
  EXPECT_EQ(listops_text(generate_listops({}, 1, Split::kTrain, 0)), "[MIN [MIN 1 4 8 7] 2 0 1 7]");
  EXPECT_EQ(listops_text(generate_listops({}, 1, Split::kTrain, 1)), "[MED [MAX 8 0] 6 8 7 [MIN 0 1 [MAX 6 8] 0 7]]");
  EXPECT_EQ(listops_text(generate_listops({}, 2, Split::kTest, 0)), "[MIN 9 2 2 [MIN 1 2 2 2 1]]");
}

TEST(ListOpsGenerator, NeverPutsAnExpressionIntoBothSplits) {
  std::set<std::string> train;
  for (int i = 0; i < 5'000; ++i) train.insert(listops_text(generate_listops({}, 1, Split::kTrain, i)));
  int repeated = 0;
  for (int i = 0; i < 2'000; ++i)
    for (std::uint64_t seed : {1U, 2U})
      repeated += static_cast<int>(train.count(listops_text(generate_listops({}, seed, Split::kTest, i))));
  EXPECT_EQ(repeated, 0);
}

TEST(ListOpsGenerator, UsesEveryOperatorValueAndDepth) {
  std::set<std::string> words;
  std::set<int> values, depths;
  for (int i = 0; i < 2'000; ++i) {
    const Tree tree = generate_listops({}, 1, Split::kTrain, i);
    for (const auto& word : words_of(tree)) words.insert(word);
    values.insert(tree.labels[0]);
    int deepest = 0;
    for (std::int32_t v = 0; v < tree.size(); ++v)
      if (tree.labels[v] >= 0) deepest = std::max(deepest, depth_of(tree, v));
    depths.insert(deepest);
  }
  EXPECT_EQ(words.size(), 14U);
  EXPECT_EQ(values.size(), 10U);
  EXPECT_THAT(depths, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(BinaryTreeGenerator, MakesACompleteTreeWithWordsBelowAndALabelAbove) {
  const InputGraph graph = generate_binary_tree(4, 10, 5, 1, 0);
  EXPECT_THAT(graph.types, ElementsAre(1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(graph.child_offsets, ElementsAre(0, 2, 4, 6, 6, 6, 6, 6));
  EXPECT_THAT(graph.children, ElementsAre(1, 2, 3, 4, 5, 6));
  const auto& words = graph.index_pulls[0];
  EXPECT_THAT(std::vector(words.begin(), words.begin() + 3), ElementsAre(-1, -1, -1));
  EXPECT_THAT(std::vector(words.begin() + 3, words.end()),
              testing::Each(testing::AllOf(testing::Ge(1), testing::Lt(10))));
  const auto& labels = graph.index_pulls[1];
  EXPECT_THAT(labels[0], testing::AllOf(testing::Ge(0), testing::Lt(5)));
  EXPECT_THAT(std::vector(labels.begin() + 1, labels.end()), testing::Each(-1));
}

TEST(BinaryTreeGenerator, AcceptsAnyNumberOfLeaves) {
  for (int leaves : {1, 2, 3, 5, 257}) {
    GraphSet graphs(tree_schema());
    graphs.add(generate_binary_tree(leaves, 10, 2, 1, 0));
    const GraphStatistics s = statistics(graphs);
    EXPECT_EQ(s.leaves, leaves);
    EXPECT_EQ(s.vertices, 2 * leaves - 1);
    EXPECT_EQ(s.roots, 1);
    EXPECT_EQ(s.max_depth, static_cast<int>(std::ceil(std::log2(leaves))));
  }
}

TEST(BinaryTreeGenerator, DependsOnSeedAndSample) {
  const auto words = [](std::uint64_t seed, int i) { return generate_binary_tree(8, 100, 5, seed, i).index_pulls; };
  EXPECT_EQ(words(1, 0), words(1, 0));
  EXPECT_NE(words(1, 0), words(2, 0));
  EXPECT_NE(words(1, 0), words(1, 1));
}

TEST(DagGenerator, MakesGraphsThatPassEveryCheck) {
  EXPECT_TRUE(rc::check([] {
    const RandomDagOptions options{.vertices = *rc::gen::inRange(1, 80),
                                   .min_arity = *rc::gen::inRange(0, 3),
                                   .max_arity = *rc::gen::inRange(3, 7),
                                   .types = 2,
                                   .leaf = 0.3F,
                                   .absent = 0.2F};
    const InputGraph graph = generate_dag(options, *rc::gen::arbitrary<std::uint64_t>(), 0);
    GraphSet graphs({.types = {"a", "b"}, .index_ports = {}, .float_ports = {}});
    graphs.add(graph);
    RC_ASSERT(graphs.vertices() == options.vertices);
    RC_ASSERT(statistics(graphs).max_arity <= options.max_arity);
  }));
}

TEST(DagGenerator, HasSharedChildrenEmptySlotsAndSeveralRoots) {
  GraphSet graphs({.types = {"a", "b"}, .index_ports = {}, .float_ports = {}});
  graphs.add(generate_dag({.vertices = 200, .types = 2, .absent = 0.2F}, 1, 0));
  const GraphStatistics s = statistics(graphs);
  EXPECT_GT(s.edges, s.vertices - s.roots);  // a forest would have exactly this many
  EXPECT_LT(s.edges, graphs.edges());
  EXPECT_GT(s.roots, 1);
  EXPECT_THAT(graphs.types(), testing::Contains(1));
  EXPECT_FALSE(std::is_sorted(graphs.levels().begin(), graphs.levels().end()));
}

TEST(Generators, RefuseInvalidSizes) {
  const std::vector<std::pair<std::function<void()>, std::string>> cases{
      {[] { generate_listops({.length = 3}, 1, Split::kTrain, 0); },
       "listops: length is 3; expected at least 4 tokens, as in [MAX 2 9]"},
      {[] { generate_listops({.max_arguments = 1}, 1, Split::kTrain, 0); },
       "listops: arguments is 1; expected at least 2"},
      {[] { generate_listops({.max_depth = 0}, 1, Split::kTrain, 0); }, "listops: depth is 0; expected at least 1"},
      {[] { generate_binary_tree(0, 10, 5, 1, 0); }, "binary-trees: leaves is 0; expected 1 to 1073741824"},
      {[] { generate_binary_tree(4, 1, 5, 1, 0); },
       "binary-trees: vocabulary is 1; expected at least 2, <unk> and a word"},
      {[] { generate_binary_tree(4, 10, 0, 1, 0); }, "binary-trees: classes is 0; expected at least 1"},
      {[] { generate_dag({.vertices = 0}, 1, 0); }, "random DAG: 0 vertices, 1 types; expected at least 1"},
      {[] { generate_dag({.min_arity = 4, .max_arity = 3}, 1, 0); },
       "random DAG: arity 4 to 3; expected an ascending range from 0"},
      {[] { MarkovSource({.vocabulary = 2}, 1); },
       "markov: vocabulary is 2; expected 3 to 10000000, <unk>, <eos> and a word"},
      {[] { MarkovSource({.length = 0}, 1); }, "markov: length is 0; expected 1 to 1073741824"},
      {[] { MarkovSource({}, 1).chain(Split::kTrain, 0, 0); }, "markov: steps is 0; expected at least 1"}};
  for (const auto& [call, says] : cases) EXPECT_EQ(error_of(call), says);
}

TEST(TreePairGenerator, TheScoreCountsTheKeptWords) {
  const Dataset data = load_data("tree-pairs:train=300,test=50,length=6,vocabulary=40");
  EXPECT_EQ(data.classes, 5);
  EXPECT_EQ(data.dev.size(), 50);
  const GraphSet& pairs = data.train;
  double sum = 0;
  for (std::int32_t s = 0; s < pairs.size(); ++s) {
    const std::int64_t begin = pairs.vertex_begin()[s], pair = pairs.vertex_begin()[s + 1] - 1,
                       words = (pair - begin) / 2;
    std::int64_t kept = 0;
    for (std::int64_t t = 0; t < words; ++t)
      kept += pairs.index_pulls(0)[begin + t] == pairs.index_pulls(0)[begin + words + t];
    EXPECT_FLOAT_EQ(pairs.float_pulls(0)[pair], 1 + 4 * static_cast<float>(kept) / static_cast<float>(words));
    EXPECT_EQ(pairs.child_begin()[pair + 1] - pairs.child_begin()[pair], 2);
    EXPECT_EQ(pairs.edges(), pairs.vertices() - pairs.size());  // two trees and a vertex over both
    sum += pairs.float_pulls(0)[pair];
  }
  EXPECT_NEAR(sum / 300, 3.3, 0.3);  // above the middle, because some words are drawn again
}

TEST(ExpressionGenerator, LabelsOperatorsWithTheirValuesAndSharesSubexpressions) {
  const Dataset data = load_data("expressions:train=100,test=10,length=12");
  const GraphSet& graphs = data.train;
  const Vocabulary words = listops_vocabulary();
  bool shared = false;
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    std::vector<std::int32_t> values;
    const std::int64_t begin = graphs.vertex_begin()[s];
    for (std::int64_t v = begin; v < graphs.vertex_begin()[s + 1]; ++v) {
      const std::string& word = words.word(graphs.index_pulls(0)[v]);
      std::vector<std::int32_t> arguments;
      for (auto k = graphs.child_begin()[v]; k < graphs.child_begin()[v + 1]; ++k)
        arguments.push_back(values[graphs.children()[k]]);
      values.push_back(arguments.empty() ? word[0] - '0' : apply_listops(word, arguments));
      EXPECT_EQ(graphs.index_pulls(1)[v], arguments.empty() ? -1 : values.back());
      shared = shared || graphs.parent_begin()[v + 1] - graphs.parent_begin()[v] > 1;
    }
  }
  EXPECT_TRUE(shared);
  EXPECT_THAT(error_of([] { load_data("expressions:vocabulary=5"); }), testing::HasSubstr("unknown option"));
}

/// Overlap of a frame, moved by (dy, dx), with the next frame.
double overlap(const float* frame, const float* next, int dy, int dx) {
  double sum = 0;
  for (int y = 0; y < kFrameSide; ++y)
    for (int x = 0; x < kFrameSide; ++x)
      sum += frame[y * kFrameSide + x] *
             next[(y + dy + kFrameSide) % kFrameSide * kFrameSide + (x + dx + kFrameSide) % kFrameSide];
  return sum;
}

TEST(MovingShapeGenerator, MovesTheShapeInTheDirectionOfTheLabel) {
  const Dataset data = load_data("moving-shapes:train=90,test=10,length=3");
  const GraphSet& films = data.train;
  EXPECT_EQ(data.classes, 9);
  EXPECT_EQ(data.dev.size(), 10);
  std::set<std::int32_t> motions;
  std::set<std::int64_t> lengths;
  for (std::int32_t s = 0; s < films.size(); ++s) {
    const std::int64_t begin = films.vertex_begin()[s], last = films.vertex_begin()[s + 1] - 1;
    const std::int32_t motion = films.index_pulls(0)[last];
    motions.insert(motion);
    lengths.insert(last + 1 - begin);
    for (std::int64_t v = begin; v < last; ++v) {
      EXPECT_EQ(films.index_pulls(0)[v], -1);
      EXPECT_EQ(films.children()[films.child_begin()[v + 1]], v - begin);
      const float* const frame = films.float_pulls(0).data() + v * kFrameSide * kFrameSide;
      int best = 0;
      const auto by = [&](int m) {
        return overlap(frame, frame + kFrameSide * kFrameSide, 2 * (m / 3 - 1), 2 * (m % 3 - 1));
      };
      for (int m = 1; m < 9; ++m)
        if (by(m) > by(best)) best = m;
      EXPECT_EQ(best, motion) << "film " << s << ", frame " << v - begin;
    }
  }
  EXPECT_EQ(motions.size(), 9U);
  EXPECT_EQ(lengths, (std::set<std::int64_t>{2, 3, 4, 5, 6}));
  const Dataset again = load_data("moving-shapes:train=90,test=10,length=3,seed=1");
  EXPECT_EQ(again.train.to_arrays().float_pulls, films.to_arrays().float_pulls);
  EXPECT_THAT(error_of([] { load_data("moving-shapes", {.classes = 4}); }), testing::HasSubstr("9 motions"));
}

}  // namespace
}  // namespace cavs
