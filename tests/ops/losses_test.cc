// Compares losses with their formulas in float64, and their gradients with finite differences.

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "cavs/layers.h"
#include "graphs/error_text.h"
#include "helpers/finite_differences.h"

namespace cavs {
namespace {

using testing::HasSubstr;
using Row = std::vector<double>;

constexpr int kClasses = 4;

/// Input of a vertex. Members without a value are absent.
struct Given {
  Row x;
  std::int32_t label = -1;
  Row target{}, present{};
};

/// One sample per vertex.
GraphSet graphs_of(const std::vector<Given>& vertices) {
  GraphSet graphs({.types = {"f"},
                   .index_ports = {"label"},
                   .float_ports = {{"x", kClasses}, {"target", kClasses}, {"present", kClasses}}});
  for (const Given& given : vertices) {
    InputGraph graph;
    graph.types = {0};
    graph.child_offsets = {0, 0};
    graph.index_pulls = {{given.label}};
    for (const Row& row : {given.x, given.target, given.present}) {
      graph.float_pulls.emplace_back(kClasses);
      std::ranges::copy(row, graph.float_pulls.back().begin());
      graph.float_present.push_back({static_cast<std::uint8_t>(row.empty() ? 0 : 1)});
    }
    graphs.add(graph);
  }
  return graphs;
}

/// Computes the losses of x W per vertex, where W is the unit matrix, and checks the gradient of W.
class Losses : public testing::Test {
 protected:
  using Loss = std::function<Value(Vertex&, const Value& x)>;

  void expect_losses(const std::vector<Given>& vertices, const Loss& loss, const Row& expected) {
    Model model;
    const auto W = model.parameter("W", {kClasses, kClasses});
    model.vertex_function("f", [&](Vertex& v) {
      const Value y = loss(v, v.pull("x", kClasses) * W);
      v.push("loss", y);
      v.loss(y);
    });
    const GraphSet graphs = graphs_of(vertices);
    const Bench bench(model, graphs);
    const auto samples = all_samples(graphs);
    expect_gradients_match_differences(bench, samples, "loss", 3);
    const auto values = bench.parameters->values(0);
    for (int i = 0; i < kClasses * kClasses; ++i) values[i] = i % (kClasses + 1) == 0 ? 1.0F : 0;
    bench.parameters->touch(0);
    const Result found = bench.run(samples);
    ASSERT_EQ(found.outputs.at("loss").size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found.outputs.at("loss")[i], expected[i], 1e-5 * (1 + std::abs(expected[i]))) << "vertex " << i;
    labels = found.labels;
  }

  std::int64_t labels = 0;
};

Row log_softmax_of(const Row& x) {
  double sum = 0;
  for (const double e : x) sum += std::exp(e);
  Row y;
  for (const double e : x) y.push_back(e - std::log(sum));
  return y;
}

/// The same as torch.nn.CrossEntropyLoss with reduction "none".
double cross_entropy(const Given& v, const Row& weights, double smoothing) {
  if (v.label < 0) return 0;
  const Row log_p = log_softmax_of(v.x);
  double smooth = 0;
  for (int c = 0; c < kClasses; ++c) smooth -= weights[c] * log_p[c];
  return -(1 - smoothing) * weights[v.label] * log_p[v.label] + smoothing / kClasses * smooth;
}

const std::vector<Given>& classified() {
  static const std::vector<Given> kVertices{
      {{1, -2, 0.5, 0}, 0}, {{3, 0.25, -1, 2}, 2}, {{1, 1, 1, 1}, -1}, {{0, 0, 0, 0}, 3}, {{-1, 4, 2, -3}, 1}};
  return kVertices;
}

TEST_F(Losses, CrossEntropyWithClassWeightsAndLabelSmoothing) {
  const std::vector<float> some{0.5F, 2, 0, 1.25F};
  for (const double smoothing : {0.0, 0.1, 1.0})
    for (const auto& weights : {std::vector<float>{}, some}) {
      SCOPED_TRACE(smoothing);
      const Row w = weights.empty() ? Row(kClasses, 1) : Row(weights.begin(), weights.end());
      Row expected;
      for (const Given& v : classified()) expected.push_back(cross_entropy(v, w, smoothing));
      expect_losses(
          classified(),
          [&](Vertex& v, const Value& x) {
            return softmax_cross_entropy(x, v.pull_index("label"),
                                         {.class_weights = weights, .label_smoothing = smoothing});
          },
          expected);
      EXPECT_EQ(labels, 4) << "each vertex counts as one label, whatever its weight";
    }
}

double binary(const Given& v, std::size_t i, double weight) {
  const double p = 1 / (1 + std::exp(-v.x[i]));
  return -weight * v.target[i] * std::log(p) - (1 - v.target[i]) * std::log(1 - p);
}

TEST_F(Losses, BinaryCrossEntropyOfSeveralLabels) {
  const std::vector<Given> vertices{
      {{1, -2, 0.5, 0.25}, -1, {1, 0, 0.5, 1}}, {{1, 2, 3, 4}}, {{8, -8, 3, 1}, -1, {0, 1, 0, 1}}};
  for (const double weight : {1.0, 2.5}) {
    Row expected(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i)
      for (std::size_t k = 0; k < vertices[i].target.size(); ++k)
        expected[i] += binary(vertices[i], k, weight) / kClasses;
    expect_losses(
        vertices,
        [&](Vertex& v, const Value& x) { return binary_cross_entropy(x, v.pull("target", kClasses), weight); },
        expected);
    EXPECT_EQ(labels, 2);
  }
}

TEST_F(Losses, IgnoreAbsentTargets) {
  const std::vector<Given> vertices{{{1, -2, 0.5, 0.25}, -1, {1, 0, 0.5, 1}, {1, 1, 0, 0}},
                                    {{1, 2, 3, 4}},
                                    {{2, -1, 3, 1}, -1, {0, 1, 0, 1}, {0, 0, 0, 0}}};
  expect_losses(vertices,
                [](Vertex& v, const Value& x) {
                  return binary_cross_entropy(x, v.pull("target", kClasses), v.pull("present", kClasses));
                },
                {(binary(vertices[0], 0, 1) + binary(vertices[0], 1, 1)) / 2, 0, 0});
  expect_losses(vertices,
                [](Vertex& v, const Value& x) {
                  return mean_squared_error(x, v.pull("target", kClasses), v.pull("present", kClasses));
                },
                {2, 0, 0});
  EXPECT_EQ(labels, 2);
}

TEST_F(Losses, BinaryCrossEntropyDoesNotOverflow) {
  expect_losses({{{30, -30, 30, -30}, -1, {1, 0, 0, 1}}},
                [](Vertex& v, const Value& x) { return binary_cross_entropy(x * 10, v.pull("target", kClasses)); },
                {150});
}

TEST_F(Losses, MarginRanking) {
  expect_losses({{{1, 0.25, 1, 0}, -1, {1}}, {{1, 0.25, 1, 0}, -1, {-1}}, {{3, 0.25, 1, 0}, -1, {1}}, {{1, 1, 1, 1}}},
                [](Vertex& v, const Value& x) {
                  const auto number = [](const Value& row, int i) { return sum_features(slice(row, i, 1)); };
                  return margin_ranking(number(x, 0), number(x, 1), number(v.pull("target", kClasses), 0), 1);
                },
                {0.25, 1.75, 0, 0});
  EXPECT_EQ(labels, 3);
}

TEST_F(Losses, OptionsOutOfRangeAreRefused) {
  const auto error = [](const CrossEntropyOptions& options) {
    Model model;
    return error_of([&] {
      model.vertex_function("f", [&](Vertex& v) {
        v.loss(softmax_cross_entropy(v.pull("x", kClasses), v.pull_index("label"), options));
      });
    });
  };
  EXPECT_THAT(error({.class_weights = {1, 2}}), HasSubstr("2 class weights for 4 classes; expected one per class"));
  EXPECT_THAT(error({.class_weights = {1, 2, -1, 1}}), HasSubstr("the weight of class 2 is -1; expected 0 or more"));
  EXPECT_THAT(error({.label_smoothing = 1.5}), HasSubstr("the label smoothing is 1.5; expected 0 to 1"));
  Model model;
  EXPECT_THAT(error_of([&] {
                model.vertex_function(
                    "f", [&](Vertex& v) { v.loss(binary_cross_entropy(v.pull("x", 1), v.pull("t", 1), -1)); });
              }),
              HasSubstr("the weight of positive targets is -1"));
}

}  // namespace
}  // namespace cavs
