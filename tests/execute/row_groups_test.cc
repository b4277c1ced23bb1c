// Row groups have the bits of their members run one by one, however rows, edges and columns are split.

#include <gtest/gtest.h>

#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/sanitizer.h"

namespace cavs {
namespace {

/// Checks that row groups change no bits, for one thread and for several.
void expect_same_without_groups(const Model& model, const GraphSet& graphs, std::span<const std::int32_t> samples,
                                const std::string& what, std::vector<std::string> disabled = {}) {
  const Bench grouped(model, graphs, {.disabled_passes = disabled});
  disabled.emplace_back("fuse_rows");
  const Bench alone(model, graphs, {.disabled_passes = disabled});
  for (const char* policy : {"frontier", "serial"}) {
    const Result expected = alone.run(samples, {.policy = policy}, 1);
    for (int threads : {1, 2, 3}) {
      const std::string where = what + ", " + policy + ", " + std::to_string(threads) + " threads";
      expect_same_result_bits(grouped.run(samples, {.threads = threads, .policy = policy}, 1), expected, where);
      expect_same_result_bits(alone.run(samples, {.threads = threads, .policy = policy}, 1), expected,
                              where + ", no groups");
    }
  }
}

/// Norms, softmax, dropout and every reduction over children, in vertices and edges.
Model crowded(std::int32_t width, int types = 1) {
  Model m({.seed = 7});
  auto E = m.lookup("E", {kWords, width});
  auto W = m.parameter("W", {width, width}), U = m.parameter("U", {width, width});
  for (int t = 0; t < types; ++t)
    m.vertex_function("type" + std::to_string(t), [&](Vertex& v) {
      auto hs = v.children("h");
      auto x = layer_norm(E(v.pull_index("word")) * W);
      auto f = sigmoid(hs * U + tanh(x));
      auto s = sum(f * layer_norm(hs)) + max(hs * f) * 0.5 + mean(square(hs - x));
      auto y = softmax(layer_norm(s + x)) * static_cast<double>(width);
      auto h = tanh(dropout(y, 0.3) + x * dot(x, s) * 0.01);
      v.scatter("h", h);
      v.push("h", h);
      v.loss(softmax_cross_entropy(slice(h, 0, kLabels), v.pull_index("label")));
      v.loss(sum_features(max(hs * x)));
    });
  return m;
}

TEST(RowGroups, ChangeNoBitWithManyRowOperators) {
  for (const NamedGraphs& zoo : graph_zoo())
    for (std::int32_t width : {5, 64, fewer(700)})  // few long rows are split by columns
      expect_same_without_groups(crowded(width), zoo.graphs, all_samples(zoo.graphs),
                                 zoo.name + ", width " + std::to_string(width));
}

/// A vertex with more edges than a block of rows, and vertices with none.
TEST(RowGroups, ChangeNoBitOnLargeStars) {
  const GraphSet graphs = dressed_set({star(3000), star(1), chain(3), star(70), star(fewer(2000))});
  for (std::int32_t width : {5, 20}) expect_same_without_groups(crowded(width), graphs, all_samples(graphs), "stars");
}

TEST(RowGroups, ChangeNoBitWithManyRowsOfSeveralTypes) {
  GraphSet graphs(dressed_schema({"type0", "type1"}));
  for (int i = 0; i < 6; ++i)
    graphs.add(dressed(generate_dag({.vertices = 300, .min_arity = 0, .max_arity = 5, .types = 2}, 3, i),
                       20 + static_cast<std::uint64_t>(i)));
  expect_same_without_groups(crowded(33, 2), graphs, all_samples(graphs), "two types");
}

TEST(RowGroups, ReadOtherColumnsThanThoseWritten) {
  constexpr std::int32_t kWide = 1024;
  Model m;
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value both = concat({tanh(sum(v.children("h"))), mean(v.children("h"))});
    const Value h = tanh(slice(both, kWide / 2, kWide) + m.parameter("b", {kWide}, Initializer::uniform(1)));
    v.scatter("h", h);
    v.push("h", h);
    v.loss(sum_features(h));
  });
  const GraphSet graphs = dressed_set({chain(5)});
  for (const auto& disabled : {std::vector<std::string>{}, std::vector<std::string>{"fuse", "narrow_slices"}})
    expect_same_without_groups(m, graphs, all_samples(graphs), "other columns", disabled);
}

TEST(RowGroups, EdgesReadTheNewStateOfTheirVertexInEveryType) {
  GraphSet graphs(dressed_schema({"a", "b"}));
  for (int i = 0; i < 4; ++i)
    graphs.add(dressed(generate_dag({.vertices = 30, .min_arity = 0, .max_arity = 3, .types = 2}, 5, i), 7));
  Model m;
  auto E = m.lookup("E", {kWords, 6});
  for (const char* type : {"a", "b"})
    m.vertex_function(type, [&](Vertex& v) {
      const Value hs = v.children("h");
      const Value h = tanh(E(v.pull_index("word")) + sum(hs) * 0.3 + m.parameter("b", {6}, Initializer::uniform(1)));
      v.scatter("h", h);
      v.loss(sum_features(max(hs * h)));
    });
  const Bench bench(m, graphs);
  const auto samples = all_samples(graphs);
  expect_same_numbers(bench.run(samples), bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters,
                      "two types");
  expect_same_without_groups(m, graphs, samples, "two types");
}

TEST(RowGroups, NeedLessMemoryIncludingTheirTiles) {
  const GraphSet graphs = random_trees(400, 50, 22);  // tiles have a fixed size, which a few trees do not fill
  for (bool training : {false, true}) {
    const auto bytes = [&](std::vector<std::string> disabled) {
      const Bench bench(small_model("tree-lstm"), graphs,
                        {.training = training, .disabled_passes = std::move(disabled)});
      Session session(bench.program, bench.parameters);
      return session.memory(*bench.bound, all_samples(graphs));
    };
    EXPECT_LT(bytes({}), bytes({"fuse_rows"}));
  }
}

}  // namespace
}  // namespace cavs
