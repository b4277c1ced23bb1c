// Small cases that once broke a law.

#include <gtest/gtest.h>

#include "cavs/error.h"
#include "helpers/graphs.h"
#include "law/laws.h"

namespace cavs::law {
namespace {

constexpr int kWidth = 6;

/// Three trees with equal leaves, and inner vertices of another type.
GraphSet two_level_trees() {
  GraphSet set(dressed_schema({"leaf", "inner"}));
  for (const int leaves : {2, 3, 2}) {
    InputGraph tree = star(leaves);
    tree.types.assign(tree.types.size(), 0);
    tree.types[0] = 1;
    set.add(dressed(tree, 5));
  }
  return set;
}

/// Leaves look up a word. Inner vertices sum the states of their children.
Model two_types(double leaf_dropout, double inner_dropout, bool leaf_pushes) {
  Model m({.seed = 4});
  const auto W = m.parameter("W", {kWidth, kWidth});
  m.vertex_function("leaf", [&](Vertex& v) {
    const Value h = tanh(dropout(m.lookup("E", {kWords, kWidth})(v.pull_index("word")), leaf_dropout) * W);
    v.scatter("h", h);
    if (leaf_pushes) v.push("out", h);
  });
  m.vertex_function("inner", [&](Vertex& v) {
    const Value h = tanh(dropout(sum(v.children("h")), inner_dropout) * W);
    v.scatter("h", h);
    v.push("out", h);
    v.loss(softmax_cross_entropy(h * m.parameter("C", {kWidth, kLabels}), v.pull_index("label")));
  });
  return m;
}

TEST(FoundCases, DropoutMasksBelongToTheirVertexIfOnlySomeTypesHaveDropout) {
  LawOptions o;
  o.steps = 3;
  for (const auto& [leaf, inner] : {std::pair{0.5, 0.0}, std::pair{0.0, 0.5}, std::pair{0.5, 0.5}})
    EXPECT_EQ(broken_law(two_types(leaf, inner, true), two_level_trees(), o), "") << leaf << ", " << inner;
}

TEST(FoundCases, PushGradientsHaveTheRightSizeIfATypeHasNoPush) {
  LawOptions o;
  o.push_gradients = o.compile.push_gradients = true;
  EXPECT_EQ(broken_law(two_types(0, 0, false), two_level_trees(), o), "");
}

TEST(FoundCases, InferenceHasNoDropoutWithPassesSwitchedOff) {
  LawOptions o;
  o.compile.training = false;
  o.compile.disabled_passes = {"simplify"};
  EXPECT_EQ(broken_law(two_types(0.5, 0.5, true), two_level_trees(), o), "");
}

/// A softmax over enough classes to be computed in tiles.
Model many_classes() {
  Model m;
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value x = m.lookup("E", {kWords, kWidth})(v.pull_index("word"));
    v.push("out", x);
    v.loss(softmax_cross_entropy(x * m.parameter("H", {kWidth, 300}) + m.parameter("c", {300}), v.pull_index("label")));
  });
  return m;
}

TEST(FoundCases, ATiledSoftmaxHasNoGradientInAMinibatchWithoutLabels) {
  GraphSet graphs(dressed_schema());
  for (const std::int32_t label : {2, -1}) {
    InputGraph graph = dressed(chain(1), 1);
    graph.index_pulls = {{3}, {label}};
    graphs.add(graph);
  }
  LawOptions o;
  o.steps = 4;
  o.train.batch_size = 1;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    o.session.precision = precision;
    EXPECT_EQ(broken_law(many_classes(), graphs, o), "");
  }
}

TEST(FoundCases, APortThatIsPulledTwiceHasOneGradient) {
  Model m;
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value x = v.pull("box", kBoxWidth) * m.parameter("B", {kBoxWidth, kWidth});
    v.push("out", x);
    v.loss(mean_squared_error(x * m.parameter("M", {kWidth, kBoxWidth}), v.pull("box", kBoxWidth)));
  });
  LawOptions o;
  o.compile.pull_gradients = true;
  EXPECT_EQ(broken_law(m, dressed_set({chain(1), chain(1), chain(1)}), o), "");
}

}  // namespace
}  // namespace cavs::law
