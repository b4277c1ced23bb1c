// Compares layers with their equations.

#include "cavs/layers.h"

#include <gmock/gmock.h>

#include "helpers/evaluate.h"
#include "helpers/finite_differences.h"
#include "helpers/models.h"

namespace cavs {
namespace {

constexpr int kIn = 6, kHidden = 5;

/// A model of chains of words. `declare` computes h from a word's row.
Model chain_model(const std::function<Value(Model&, Vertex&, const Value&)>& declare) {
  Model m({.seed = 4});
  auto E = m.lookup("E", {kWords, kIn});
  m.vertex_function("token", [&](Vertex& v) {
    auto h = declare(m, v, E(v.pull_index("word")));
    v.push("h", h);
    v.loss(sum_features(h));
  });
  return m;
}

void expect_same(const Model& layer, const Model& written_out) {
  EXPECT_EQ(layer.parameters().size(), written_out.parameters().size());
  const GraphSet graphs = random_chains(9, kWords, 3);
  const Bench a(layer, graphs), b(written_out, graphs);
  expect_same_result_bits(a.run(all_samples(graphs)), b.run(all_samples(graphs)), "layer");
}

TEST(Layers, AnLstmFollowsItsEquations) {
  expect_same(chain_model([](Model& m, Vertex& v, const Value& x) {
                return LstmCell(m, "", kIn, kHidden).step(v, x, "left_");
              }),
              chain_model([](Model& m, Vertex& v, const Value& x) {
                auto W = m.parameter("W", {kIn, 4 * kHidden}), U = m.parameter("U", {kHidden, 4 * kHidden});
                auto [i, f, o, u] =
                    split<4>(x * W + v.gather(0, "h") * U + m.parameter("b", {4 * kHidden}, Initializer::zeros()));
                auto c = sigmoid(i) * tanh(u) + sigmoid(f) * v.gather(0, "c"), h = sigmoid(o) * tanh(c);
                v.scatter("c", c);
                v.scatter("h", h);
                return h;
              }));
}

/// A language model of one layer. `scores` computes the scores of all words from a word's row.
Model word_model(const std::function<Value(Model&, Vertex&, const IndexValue&)>& scores) {
  Model m({.seed = 4});
  m.vertex_function("token", [&](Vertex& v) {
    auto s = scores(m, v, v.pull_index("word")) + v.gather(0, "s") * 0.5;
    v.scatter("s", s);
    v.push("scores", s);
    v.loss(log_sum_exp(s) + sum_features(square(s)));
  });
  return m;
}

TEST(Layers, TiedVectorsAreATableAndAWeightWhoseGradientsAddUp) {
  const Model tied = word_model([](Model& m, Vertex& v, const IndexValue& word) {
    const TiedEmbedding E(m, "E", kWords, kIn);
    return E.scores(tanh(E(v, word)));
  });
  const Model apart = word_model([](Model& m, Vertex&, const IndexValue& word) {
    const Lookup table = m.lookup("table", {kWords, kIn});
    return tanh(table(word)) * m.parameter("weight", {kIn, kWords});
  });
  const GraphSet graphs = random_chains(9, kWords, 3);
  const Bench one(tied, graphs), two(apart, graphs);
  const auto samples = all_samples(graphs);
  ASSERT_EQ(one.parameters->size(), 1);
  const auto values = one.parameters->values(0), table = two.parameters->values(0), weight = two.parameters->values(1);
  for (int w = 0; w < kWords; ++w)
    for (int i = 0; i < kIn; ++i) {
      values[i * kWords + w] *= 10;  // keeps every term large enough to matter
      table[w * kIn + i] = weight[i * kWords + w] = values[i * kWords + w];
    }
  one.parameters->touch(0);
  two.parameters->touch(0);
  two.parameters->touch(1);
  expect_gradients_match_differences(one, samples, "tied");
  const Result found = one.run(samples), expected = two.run(samples);
  expect_close(std::span<const float>(found.outputs.at("scores")),
               std::span<const float>(expected.outputs.at("scores")), "scores");
  std::vector<float> sum(expected.gradients.values(1).begin(), expected.gradients.values(1).end());
  for (int w = 0; w < kWords; ++w)
    for (int i = 0; i < kIn; ++i) sum[i * kWords + w] += expected.gradients.values(0)[w * kIn + i];
  expect_close(std::span<const float>(found.gradients.values(0)), std::span<const float>(sum), "gradient");
}

TEST(Layers, AGruFollowsItsEquations) {
  expect_same(chain_model([](Model& m, Vertex& v, const Value& x) { return GruCell(m, "", kIn, kHidden).step(v, x); }),
              chain_model([](Model& m, Vertex& v, const Value& x) {
                auto W = m.parameter("W", {kIn, 2 * kHidden}), U = m.parameter("U", {kHidden, 2 * kHidden});
                auto b = m.parameter("b", {2 * kHidden}, Initializer::zeros());
                auto V = m.parameter("V", {kIn, kHidden}), C = m.parameter("C", {kHidden, kHidden});
                auto c = m.parameter("c", {kHidden}, Initializer::zeros());
                auto old = v.gather(0, "h");
                auto [r, gate] = split<2>(old * U + (x * W + b));
                auto z = sigmoid(gate);
                auto h = z * old + (1 - z) * tanh((sigmoid(r) * old) * C + (x * V + c));
                v.scatter("h", h);
                return h;
              }));
}

TEST(Layers, WithOneNameShareTheirParameters) {
  Model m;
  const auto names = [&] {
    std::vector<std::string> all;
    for (const ParameterInfo& p : m.parameters()) all.push_back(p.name);
    return all;
  };
  const Linear one(m, "top", kIn, kHidden), same(m, "top", kIn, kHidden);
  EXPECT_THAT(names(), testing::ElementsAre("top_W", "top_b"));
  const LstmCell cell(m, "left", kIn, kHidden);
  EXPECT_THAT(names(), testing::ElementsAre("top_W", "top_b", "left_W", "left_U", "left_b"));
  EXPECT_THROW(Linear(m, "top", kIn, kHidden + 1), UserError);
}

}  // namespace
}  // namespace cavs
