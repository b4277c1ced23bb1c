#include "decode/growing_graphs.h"

#include <gmock/gmock.h>

#include <cmath>

#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A sample has sources, each with a matrix as a state, and takers, which read another taker and any number of sources.
Model attending_model() {
  Model m({.seed = 3});
  constexpr int kWidth = 4;
  const auto E = m.lookup("E", {10, kWidth});
  const auto W = m.parameter("W", {kWidth, kWidth}), K = m.parameter("K", {kWidth, 6});
  m.vertex_function("source", [&](Vertex& v) {
    const Value x = tanh(E(v.pull_index("word")) + v.gather(0, "h") * W);
    v.scatter("h", x), v.scatter("key", reshape(x * K, {3, 2}));
  });
  m.vertex_function("taker", [&](Vertex& v) {
    const Value keys = reshape(sum(v.children("key")), {6});
    const Value x = tanh(E(v.pull_index("word")) * W + v.gather(0, "h") + max(v.children("h")));
    v.scatter("h", x), v.scatter("key", reshape(keys * 0.5, {3, 2}));
    v.push("said", concat({x, keys}));
  });
  return m;
}

GraphSchema schema() { return {.types = {"source", "taker"}, .index_ports = {"word"}, .float_ports = {}}; }

/// Vertices 0 to 2 are sources, 3 to 5 takers: 3 and 5 have no taker before them, 4 has 3.
InputGraph whole_graph() {
  return {.types = {0, 0, 0, 1, 1, 1},
          .child_offsets = {0, 0, 1, 2, 4, 7, 9},
          .children = {0, 1, -1, 2, 3, 0, 2, 1, 1},
          .index_pulls = {{4, 5, 6, 7, 8, 9}},
          .float_pulls = {},
          .float_present = {}};
}

std::vector<float> said_by_whole_graph(const Model& model, const std::shared_ptr<Parameters>& parameters,
                                       const SessionOptions& options) {
  GraphSet graphs(schema());
  graphs.add(whole_graph());
  const auto program = compile(model, {.training = false});
  const auto bound = bind_graphs(program, graphs);
  Session session(program, parameters, options);
  const std::int32_t sample = 0;
  return session.forward(*bound, {&sample, 1}).output("said");
}

/// The sources of the graph alone.
GraphSet sources() {
  GraphSet graphs(schema());
  graphs.add({.types = {0, 0, 0},
              .child_offsets = {0, 0, 1, 2},
              .children = {0, 1},
              .index_pulls = {{4, 5, 6}},
              .float_pulls = {},
              .float_present = {}});
  return graphs;
}

/// A step whose outputs are kept.
struct Step {
  std::vector<std::int32_t> evaluated;
  std::vector<std::vector<float>> rows;

  Step(GrowingGraphs& graphs, const NewVertices& vertices) : rows(vertices.size()) {
    evaluated = graphs.step(vertices, [&](std::int32_t k, std::span<const float> row) {
      EXPECT_TRUE(rows[k].empty());
      rows[k].assign(row.begin(), row.end());
    });
  }
};

/// Of the reference engine, whose states are float64 inside a graph, nearly.
void expect_row(std::span<const float> found, std::span<const float> expected, bool same_bits) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], same_bits ? 0 : 1e-6 * std::abs(expected[i])) << i;
}

TEST(GrowingGraphs, SayWhatTheWholeGraphWould) {
  const Model model = attending_model();
  const auto parameters = model.make_parameters();
  for (const SessionOptions& options :
       {SessionOptions{}, SessionOptions{.threads = 2}, SessionOptions{.engine = EngineKind::kReference}}) {
    const std::vector<float> all = said_by_whole_graph(model, parameters, options);
    const auto expect = [&](const std::vector<float>& row, std::size_t vertex) {
      expect_row(row, std::span(all).subspan(10 * vertex, 10), options.engine != EngineKind::kReference);
    };
    GrowingGraphs graphs(model, parameters, {"taker", "word", "said"}, options);
    const auto s = graphs.evaluate(sources(), std::vector<std::int32_t>{0, 1, 2});
    NewVertices vertices;
    vertices.add(7, std::vector<std::int32_t>{-1, s[2]});
    vertices.add(9, std::vector<std::int32_t>{s[1], s[1]});
    const Step first(graphs, vertices);
    expect(first.rows[0], 3);
    expect(first.rows[1], 5);
    vertices.clear();
    vertices.add(8, std::vector<std::int32_t>{first.evaluated[0], s[0], s[2]});
    expect(Step(graphs, vertices).rows[0], 4);
  }
}

TEST(GrowingGraphs, StepsOfManyWideOutputsAreEvaluatedInPiecesWithTheSameBits) {
  constexpr int kWidth = 1 << 15, kVertices = 70;
  Model m({.seed = 4});
  const auto E = m.lookup("E", {kVertices, 4});
  const auto W = m.parameter("W", {4, kWidth});
  m.vertex_function("taker", [&](Vertex& v) {
    const Value x = tanh(E(v.pull_index("word")) + v.gather(0, "h"));
    v.scatter("h", x);
    v.push("said", x * W);
  });
  GrowingGraphs graphs(m, m.make_parameters(), {"taker", "word", "said"}, {.threads = 2});
  const auto step = [&](std::int32_t first, std::int32_t count, std::span<const std::int32_t> before) {
    NewVertices vertices;
    for (std::int32_t k = first; k < first + count; ++k) vertices.add(k, before.subspan(k, 1));
    return Step(graphs, vertices);
  };
  const std::vector<std::int32_t> none(kVertices, -1);
  const Step first = step(0, kVertices, none), second = step(0, kVertices, first.evaluated);
  for (const std::int32_t k : {0, 31, 32, 69}) {
    EXPECT_EQ(step(k, 1, none).rows[0], first.rows[k]);
    EXPECT_EQ(step(k, 1, first.evaluated).rows[0], second.rows[k]);
  }
}

TEST(GrowingGraphs, KeepOnlyWhatIsAskedForAndUseRetiredNumbersAgain) {
  const Model model = attending_model();
  GrowingGraphs graphs(model, model.make_parameters(), {"taker", "word", "said"}, {});
  const auto last = graphs.evaluate(sources(), std::vector<std::int32_t>{2});
  EXPECT_THAT(last, ElementsAre(0));
  NewVertices vertices;
  vertices.add(7, std::vector<std::int32_t>{-1, last[0]});
  const Step before(graphs, vertices);
  EXPECT_THAT(before.evaluated, ElementsAre(1));
  graphs.retire(std::vector<std::int32_t>{1, -1});
  const Step again(graphs, vertices);
  EXPECT_THAT(again.evaluated, ElementsAre(1));
  EXPECT_EQ(again.rows, before.rows);
  EXPECT_THAT(Step(graphs, vertices).evaluated, ElementsAre(2));
  EXPECT_THAT(Step(graphs, NewVertices()).evaluated, ElementsAre());
  graphs.clear();
  EXPECT_THAT(graphs.evaluate(sources(), std::vector<std::int32_t>{2}), ElementsAre(0));
}

TEST(GrowingGraphs, SayWhatDoesNotFit) {
  const Model model = attending_model();
  const auto parameters = model.make_parameters();
  const auto error = [&](const Growth& growth) {
    return error_of([&] { GrowingGraphs(model, parameters, growth, {}); });
  };
  EXPECT_THAT(error({"takr", "word", "said"}), HasSubstr("no vertex function 'takr', which is to grow; did you mean"));
  EXPECT_THAT(error({"source", "word", "said"}), HasSubstr("vertex function 'source' does not push 'said'"));
  GrowingGraphs graphs(model, parameters, {"taker", "wort", "said"}, {});
  NewVertices vertices;
  vertices.add(7, {});
  EXPECT_THAT(error_of([&] { Step(graphs, vertices); }), HasSubstr("pulls 'word', the graphs have no such integers"));
}

TEST(GrowingGraphs, RefuseStatesThatAreNoNumbers) {
  const Model model = attending_model();
  const auto parameters = model.make_parameters();
  parameters->values(0)[4 * 4] = std::nanf("");
  GrowingGraphs graphs(model, parameters, {"taker", "word", "said"}, {});
  const auto s = graphs.evaluate(sources(), std::vector<std::int32_t>{2});
  NewVertices vertices;
  vertices.add(7, s);
  EXPECT_THAT(error_of([&] { Step(graphs, vertices); }), HasSubstr("expected finite numbers"));
}

}  // namespace
}  // namespace cavs
