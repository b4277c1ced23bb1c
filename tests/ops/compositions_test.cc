// Compares functions that are composed of operators with plain loops in float64.

#include <gmock/gmock.h>

#include <cmath>

#include "graphs/error_text.h"
#include "helpers/finite_differences.h"
#include "ops/op_cases.h"

namespace cavs {
namespace {

using Row = std::vector<double>;
using testing::AllOf;
using testing::HasSubstr;

/// Row `v` of a float port, or zeros if it is absent.
Row box_of(const GraphSet& graphs, std::int64_t v) {
  Row row(kBoxWidth);
  for (int k = 0; k < kBoxWidth && graphs.float_present(0)[v] != 0; ++k)
    row[k] = graphs.float_pulls(0)[v * kBoxWidth + k];
  return row;
}

Row times(const Row& x, const Parameters& parameters, const char* name, std::size_t n) {
  const auto w = parameters.values(parameters.find(name));
  Row y(n);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < n; ++j) y[j] += x[i] * w[i * n + j];
  return y;
}

Row softmax_of(Row x) {
  double sum = 0;
  for (double& e : x) sum += e = std::exp(e);
  for (double& e : x) e /= sum;
  return x;
}

/// Calls f(vertex, children) for all vertices of all samples. Vertices are numbered across samples.
template <typename F>
void each_vertex(const GraphSet& graphs, F f) {
  for (std::int32_t s = 0; s < graphs.size(); ++s)
    for (std::int64_t v = graphs.vertex_begin()[s]; v < graphs.vertex_begin()[s + 1]; ++v) {
      std::vector<std::int64_t> children;
      for (std::int64_t k = graphs.child_begin()[v]; k < graphs.child_begin()[v + 1]; ++k)
        if (graphs.children()[k] >= 0) children.push_back(graphs.vertex_begin()[s] + graphs.children()[k]);
      f(v, children);
    }
}

void expect_output(const Result& found, const char* port, const Row& expected) {
  expect_close(std::span<const float>(found.outputs.at(port)), std::span<const double>(expected), port);
}

/// One sample with this many vertices and no edges.
GraphSet without_children(int vertices) {
  return dressed_set({graph_of(std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(vertices)))});
}

TEST(Attention, AgreesWithPlainLoopsForAnyNumberOfChildren) {
  constexpr int kWidth = 5, kOut = 3;
  Model m{{.seed = 2}};
  auto Wq = m.parameter("Wq", {kBoxWidth, kWidth}), Wk = m.parameter("Wk", {kBoxWidth, kWidth});
  auto Wv = m.parameter("Wv", {kBoxWidth, kOut}), V = m.parameter("v", {kWidth});
  m.vertex_function("vertex", [&](Vertex& v) {
    auto x = v.pull("box", kBoxWidth);
    v.scatter("k", x * Wk);
    v.scatter("v", x * Wv);
    auto dotted = attention(x * Wq, v.children("k"), v.children("v"));
    auto added = additive_attention(x * Wq, v.children("k"), v.children("v"), V);
    v.push("dotted", dotted);
    v.push("added", added);
    v.loss(sum_features(exp(dotted * 0.5) + exp(added * 0.5)));
  });
  const GraphSet graphs = op_graphs();
  const Bench bench(m, graphs);
  const auto samples = all_samples(graphs);
  const Result found = bench.run(samples);
  Row dotted, added;
  std::set<std::size_t> counts;
  each_vertex(graphs, [&](std::int64_t v, const std::vector<std::int64_t>& children) {
    counts.insert(children.size());
    const Row query = times(box_of(graphs, v), *bench.parameters, "Wq", kWidth);
    Row by_dot, by_sum, y(kOut), z(kOut);
    for (const std::int64_t child : children) {
      const Row key = times(box_of(graphs, child), *bench.parameters, "Wk", kWidth);
      double scaled = 0, additive = 0;
      for (int k = 0; k < kWidth; ++k) {
        scaled += query[k] * key[k] / std::sqrt(kWidth);
        additive += std::tanh(query[k] + key[k]) * bench.parameters->values(bench.parameters->find("v"))[k];
      }
      by_dot.push_back(scaled);
      by_sum.push_back(additive);
    }
    by_dot = softmax_of(by_dot);
    by_sum = softmax_of(by_sum);
    for (std::size_t e = 0; e < children.size(); ++e) {
      const Row value = times(box_of(graphs, children[e]), *bench.parameters, "Wv", kOut);
      for (int j = 0; j < kOut; ++j) {
        y[j] += by_dot[e] * value[j];
        z[j] += by_sum[e] * value[j];
      }
    }
    dotted.insert(dotted.end(), y.begin(), y.end());
    added.insert(added.end(), z.begin(), z.end());
  });
  EXPECT_THAT(counts, testing::IsSupersetOf({0U, 1U, 2U, 3U}));
  expect_output(found, "dotted", dotted);
  expect_output(found, "added", added);
  expect_gradients_match_differences(bench, samples, "attention");
  expect_same_numbers(found, bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters, "reference");
}

TEST(Attention, RequiresAQueryOfKnownShape) {
  Model m;
  EXPECT_THAT(
      error_of([&] {
        m.vertex_function(
            "cell", [](Vertex& v) { attention(v.gather(0, "h").named("query"), v.children("h"), v.children("h")); });
      }),
      AllOf(HasSubstr("[attention]"), HasSubstr("'query'"), HasSubstr("'cell'"), HasSubstr("scatters it first")));
}

/// Port box is masked. The candidates are given by the signs in the word's row of `mask`.
TEST(MaskedSoftmax, IsASoftmaxOverTheCandidates) {
  Model m{{.seed = 2}};
  auto W = m.parameter("W", {kBoxWidth, kLabels});
  auto M = m.lookup("mask", {kWords, kLabels}, Initializer::uniform(1));
  m.vertex_function("vertex", [&](Vertex& v) {
    auto x = v.pull("box", kBoxWidth) * W;
    auto mask = M(v.pull_index("word"));  // zeros, so no candidates, at vertices without a word
    auto y = masked_softmax(x, mask);
    v.push("y", y);
    v.loss(sum_features(exp(y * x)));
  });
  const GraphSet graphs = without_children(39);
  const Bench bench(m, graphs);
  const auto samples = all_samples(graphs);
  const Result found = bench.run(samples);
  Row expected;
  bool some = false, none = false;
  each_vertex(graphs, [&](std::int64_t v, const auto&) {
    const Row x = times(box_of(graphs, v), *bench.parameters, "W", kLabels);
    const std::int32_t word = graphs.index_pulls(0)[v];
    const auto candidate = [&](int j) {
      return word >= 0 && bench.parameters->values(bench.parameters->find("mask"))[word * kLabels + j] > 0;
    };
    double sum = 0;
    for (int j = 0; j < kLabels; ++j) sum += candidate(j) ? std::exp(x[j]) : 0;
    for (int j = 0; j < kLabels; ++j) expected.push_back(candidate(j) ? std::exp(x[j]) / sum : 0);
    some = some || sum > 0;
    none = none || sum == 0;
  });
  EXPECT_TRUE(some && none);
  expect_output(found, "y", expected);
  expect_gradients_match_differences(bench, samples, "masked softmax");
  expect_same_numbers(found, bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters, "reference");
}

TEST(MaskedSoftmax, LossIsOverTheCandidatesOnly) {
  Model m{{.seed = 2}};
  auto W = m.parameter("W", {kBoxWidth, kLabels});
  m.vertex_function("vertex", [&](Vertex& v) {
    auto label = v.pull_index("label");
    auto mask = one_hot(label, kLabels) + one_hot(v.pull_index("word"), kWords) * m.parameter("M", {kWords, kLabels});
    v.loss(masked_softmax_cross_entropy(v.pull("box", kBoxWidth) * W, mask, label));
  });
  const GraphSet graphs = without_children(39);
  const Bench bench(m, graphs);
  const auto samples = all_samples(graphs);
  const Result found = bench.run(samples);
  double loss = 0;
  each_vertex(graphs, [&](std::int64_t v, const auto&) {
    const std::int32_t word = graphs.index_pulls(0)[v], label = graphs.index_pulls(1)[v];
    if (label < 0) return;
    const Row x = times(box_of(graphs, v), *bench.parameters, "W", kLabels);
    double sum = 0;
    for (int j = 0; j < kLabels; ++j) {
      const float other = word < 0 ? 0 : bench.parameters->values(bench.parameters->find("M"))[word * kLabels + j];
      if ((j == label ? 1 : 0) + other > 0) sum += std::exp(x[j]);
    }
    loss += std::log(sum) - x[label];
  });
  EXPECT_NEAR(found.loss, loss / graphs.size(), 1e-5 * loss / graphs.size());
  expect_gradients_match_differences(bench, samples, "masked loss");
  // The index of another port is still read correctly if the loss runs on labelled rows only.
  const Bench all_rows(m, graphs, {.disabled_passes = {"compact_unlabelled"}});
  expect_same_numbers(found, all_rows.run(samples), *bench.parameters, "on all rows");
}

TEST(Highway, CarriesTheInputThatItDoesNotTransform) {
  Model m{{.seed = 2}};
  auto W = m.parameter("W", {kBoxWidth, kBoxWidth}), B = m.parameter("b", {kBoxWidth});
  m.vertex_function("vertex", [&](Vertex& v) {
    auto x = v.pull("box", kBoxWidth), y = highway(x, tanh(x * 3), W, B);
    v.push("y", y);
    v.loss(sum_features(square(y)));
  });
  const GraphSet graphs = without_children(12);
  const Bench bench(m, graphs);
  Row expected;
  each_vertex(graphs, [&](std::int64_t v, const auto&) {
    const Row x = box_of(graphs, v), gate = times(x, *bench.parameters, "W", kBoxWidth);
    for (int j = 0; j < kBoxWidth; ++j) {
      const double t = 1 / (1 + std::exp(-gate[j] - bench.parameters->values(bench.parameters->find("b"))[j]));
      expected.push_back(t * std::tanh(3 * x[j]) + (1 - t) * x[j]);
    }
  });
  expect_output(bench.run(all_samples(graphs)), "y", expected);
  expect_gradients_match_differences(bench, all_samples(graphs), "highway");
}

TEST(OneHot, RefusesAnIndexThatIsNoClass) {
  Model m;
  m.vertex_function("vertex", [](Vertex& v) { v.push("y", one_hot(v.pull_index("word"), kWords - 1)); });
  const GraphSet graphs = without_children(40);
  EXPECT_THAT(error_of([&] { Bench(m, graphs, {.training = false}); }),
              AllOf(HasSubstr("[one_hot]"), HasSubstr("'word'"), HasSubstr("is 6"), HasSubstr("to 5")));
}

TEST(SampleDropout, HasOneMaskPerSample) {
  constexpr int kWidth = 40;
  Model m;
  m.vertex_function("vertex", [&](Vertex& v) {
    auto x = v.pull("box", kBoxWidth) * m.parameter("W", {kBoxWidth, kWidth}) * 0 + 1.0;
    v.push("same", sample_dropout(x, 0.5));
    v.push("other", sample_dropout(x, 0.5));
    v.push("each", dropout(x, 0.5));
  });
  const GraphSet graphs = dressed_set({graph_of({{}, {}, {}}), graph_of({{}, {}, {}})});
  const Bench bench(m, graphs);
  const auto row = [&](const Result& result, const char* port, int vertex) {
    const auto* begin = result.outputs.at(port).data() + vertex * kWidth;
    return std::vector<float>(begin, begin + kWidth);
  };
  const Result found = bench.run(all_samples(graphs));
  EXPECT_THAT(row(found, "same", 0), testing::AllOf(testing::Contains(0.0F), testing::Contains(2.0F)));
  for (int v : {1, 2}) {
    EXPECT_EQ(row(found, "same", v), row(found, "same", 0));
    EXPECT_NE(row(found, "each", v), row(found, "each", 0));
  }
  EXPECT_NE(row(found, "same", 3), row(found, "same", 0)) << "another sample has another mask";
  EXPECT_NE(row(found, "other", 0), row(found, "same", 0)) << "another mask";
  EXPECT_NE(row(bench.run(all_samples(graphs), {}, 1), "same", 0), row(found, "same", 0)) << "another epoch";
  EXPECT_EQ(row(bench.run(std::vector<std::int32_t>{1}), "same", 0), row(found, "same", 3)) << "another minibatch";
  const Result reference = bench.run(all_samples(graphs), {.engine = EngineKind::kReference});
  for (int v = 0; v < 6; ++v) EXPECT_EQ(row(reference, "same", v), row(found, "same", v));
}

}  // namespace
}  // namespace cavs
