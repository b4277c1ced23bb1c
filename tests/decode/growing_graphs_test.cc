#include "decode/growing_graphs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "graphs/error_text.h"
#include "helpers/growing.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Compares rows. The reference engine agrees only nearly, because its states are float64 within one graph.
void expect_row(std::span<const float> found, std::span<const float> expected, bool same_bits) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], same_bits ? 0 : 1e-6 * std::abs(expected[i])) << i;
}

TEST(GrowingGraphs, GiveTheOutputsOfTheWholeGraph) {
  const Model model = attention_model();
  const auto parameters = model.make_parameters();
  for (const SessionOptions& options :
       {SessionOptions{}, SessionOptions{.threads = 2}, SessionOptions{.engine = EngineKind::kReference}}) {
    const std::vector<float> all = outputs_of_whole_graph(model, parameters, options);
    GrowingGraphs graphs(model, parameters, {"taker", "word", "said"}, options);
    const auto rows = outputs_in_steps(graphs);
    for (const auto& [step, vertex] : {std::pair{0, 3}, {1, 5}, {2, 4}})
      expect_row(rows[step], std::span(all).subspan(10 * vertex, 10), options.engine != EngineKind::kReference);
  }
}

TEST(GrowingGraphs, SplitStepsWithManyWideOutputsWithoutChangingBits) {
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
    return GrownStep(graphs, vertices);
  };
  const std::vector<std::int32_t> none(kVertices, -1);
  const GrownStep first = step(0, kVertices, none), second = step(0, kVertices, first.evaluated);
  for (const std::int32_t k : {0, 31, 32, 69}) {
    EXPECT_EQ(step(k, 1, none).rows[0], first.rows[k]);
    EXPECT_EQ(step(k, 1, first.evaluated).rows[0], second.rows[k]);
  }
}

TEST(GrowingGraphs, KeepOnlyNeededStatesAndReuseRetiredNumbers) {
  const Model model = attention_model();
  GrowingGraphs graphs(model, model.make_parameters(), {"taker", "word", "said"}, {});
  const auto last = graphs.evaluate(sources(), std::vector<std::int32_t>{2});
  EXPECT_THAT(last, ElementsAre(0));
  NewVertices vertices;
  vertices.add(7, std::vector<std::int32_t>{-1, last[0]});
  const GrownStep before(graphs, vertices);
  EXPECT_THAT(before.evaluated, ElementsAre(1));
  graphs.retire(std::vector<std::int32_t>{1, -1});
  const GrownStep again(graphs, vertices);
  EXPECT_THAT(again.evaluated, ElementsAre(1));
  EXPECT_EQ(again.rows, before.rows);
  EXPECT_THAT(GrownStep(graphs, vertices).evaluated, ElementsAre(2));
  EXPECT_THAT(GrownStep(graphs, NewVertices()).evaluated, ElementsAre());
  graphs.clear();
  EXPECT_THAT(graphs.evaluate(sources(), std::vector<std::int32_t>{2}), ElementsAre(0));
}

TEST(GrowingGraphs, ReportVerticesThatDoNotFit) {
  const Model model = attention_model();
  const auto parameters = model.make_parameters();
  const auto error = [&](const Growth& growth) {
    return error_of([&] { GrowingGraphs(model, parameters, growth, {}); });
  };
  EXPECT_THAT(error({"takr", "word", "said"}), HasSubstr("no vertex function 'takr' to grow; did you mean"));
  EXPECT_THAT(error({"source", "word", "said"}), HasSubstr("vertex function 'source' does not push 'said'"));
  GrowingGraphs graphs(model, parameters, {"taker", "wort", "said"}, {});
  NewVertices vertices;
  vertices.add(7, {});
  EXPECT_THAT(error_of([&] { GrownStep(graphs, vertices); }),
              HasSubstr("pulls 'word', but the graphs have no such integers"));
}

TEST(GrowingGraphs, RefuseStatesThatAreNotFinite) {
  const Model model = attention_model();
  for (const auto& [name, bad] : {std::pair{"E", std::nanf("")}, {"K", std::numeric_limits<float>::infinity()}}) {
    const auto parameters = model.make_parameters();
    std::ranges::fill(parameters->values(parameters->find(name)), bad);
    GrowingGraphs graphs(model, parameters, {"taker", "word", "said"}, {});
    const auto s = graphs.evaluate(sources(), std::vector<std::int32_t>{2});
    NewVertices vertices;
    vertices.add(7, s);
    EXPECT_THAT(error_of([&] { GrownStep(graphs, vertices); }), HasSubstr("expected finite numbers")) << name;
  }
}

}  // namespace
}  // namespace cavs
