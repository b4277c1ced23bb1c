// Rows of ports and values of parameters that the caller supplies for each run.

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "cavs/layers.h"
#include "graphs/error_text.h"
#include "helpers/compare.h"
#include "helpers/evaluate.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using CavsRun = cavs::Run;

constexpr int kPulled = 3;

/// A recurrence along children. Output "seen" depends on where the port has a row.
Model model_of(double dropout = 0) {
  Model m({.seed = 3});
  const auto W = m.parameter("W", {kPulled, 4}), U = m.parameter("U", {4, 4});
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value x = v.pull("x", kPulled), all = cavs::dropout(sum(v.children("h")), dropout);
    const Value h = tanh(x * W + all * U);
    v.scatter("h", h);
    v.push("h", h);
    v.push("seen", v.where_present("x", sum_features(square(h))));
  });
  return m;
}

/// A forest with one row of port "x" per vertex, or without the port if `with` is false.
GraphSet forest(bool with) {
  const GraphSet plain = graphs_from_text("0>2 1>2 | 3>4 4>5 | 6 | 7>9 8>9 9>10");
  GraphArrays arrays = plain.to_arrays();
  GraphSchema schema = plain.schema();
  if (with) {
    schema.float_ports = {{"x", kPulled}};
    auto& rows = arrays.float_pulls.emplace_back(static_cast<std::size_t>(plain.vertices() * kPulled));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i % 7) / 4 - 0.6F;
    arrays.float_present.emplace_back();
  }
  return GraphSet::from_arrays(schema, arrays);
}

class RunPulls : public testing::TestWithParam<EngineKind> {
 protected:
  std::shared_ptr<const Program> program_ = compile(model_of(), {.pull_gradients = true, .push_gradients = true});
  std::shared_ptr<Parameters> parameters_ = model_of().make_parameters();
  Session session_{program_, parameters_, {.engine = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(All, RunPulls, testing::Values(EngineKind::kBatched, EngineKind::kReference),
                         [](const auto& engine) { return std::string(to_string(engine.param)); });

struct PulledNumbers {
  std::vector<float> h, seen, x;
  Gradients gradients;
};

PulledNumbers numbers_of(CavsRun& run, const Parameters& parameters) {
  PulledNumbers n{run.output("h"), run.output("seen"), {}, Gradients(parameters)};
  std::vector<float> to_h(n.h.size());
  std::iota(to_h.begin(), to_h.end(), -3.0F);
  const std::vector<float> to_seen(n.seen.size(), 0.5F);
  run.backward(n.gradients, std::vector<CavsRun::PushGradient>{{"h", to_h}, {"seen", to_seen}});
  n.x = run.pull_gradient("x");
  return n;
}

void expect_same(const PulledNumbers& found, const PulledNumbers& expected) {
  expect_same_bits(found.h, expected.h, "h");
  expect_same_bits(found.seen, expected.seen, "seen");
  expect_same_bits(found.x, expected.x, "gradient of x");
  expect_same_bits(found.gradients.flat(), expected.gradients.flat(), "gradients");
}

TEST_P(RunPulls, GiveTheBitsOfTheSameRowsInTheData) {
  const GraphSet with = forest(true), without = forest(false);
  const auto bound = bind_graphs(program_, with);
  for (const GraphSet& other : {std::cref(with), std::cref(without)}) {
    const auto given = bind_graphs(program_, std::make_shared<const GraphSet>(other), {"x"});
    for (const std::vector<std::int32_t>& samples : {std::vector{0, 1, 2, 3}, {3, 1}, {2, 2, 0}}) {
      CavsRun expected = session_.forward(*bound, samples);
      std::vector<float> rows;
      for (const std::int32_t s : samples) {
        const auto values = with.float_pulls(0);
        rows.insert(rows.end(), values.begin() + with.vertex_begin()[s] * kPulled,
                    values.begin() + with.vertex_begin()[s + 1] * kPulled);
      }
      CavsRun run = session_.forward(*given, samples, {.pulls = {{"x", rows}}});
      expect_same(numbers_of(run, *parameters_), numbers_of(expected, *parameters_));
    }
  }
}

TEST_P(RunPulls, AreCheckedBeforeTheRun) {
  const auto graphs = std::make_shared<const GraphSet>(forest(false));
  const auto given = bind_graphs(program_, graphs, {"x"});
  const std::vector<std::int32_t> samples{1};
  const std::vector<float> rows(3 * kPulled), few(4);
  const auto pulls = [&](const std::string& port, const std::vector<float>& values) {
    return ForwardOptions{.pulls = {{port, values}}};
  };
  EXPECT_THAT(error_of([&] { session_.forward(*given, samples); }), HasSubstr("each run provides pull 'x'"));
  EXPECT_THAT(error_of([&] { session_.forward(*given, samples, pulls("x", few)); }),
              HasSubstr("pull 'x' has 4 numbers; expected 9 for 3 vertices of 3"));
  EXPECT_THAT(error_of([&] { session_.forward(*given, samples, pulls("y", rows)); }),
              AllOf(HasSubstr("pull 'y'"), HasSubstr("bind_graphs")));
  EXPECT_THAT(error_of([&] { bind_graphs(program_, graphs, {"y"}); }), AllOf(HasSubstr("'y'"), HasSubstr("x")));
  EXPECT_THAT(error_of([&] { bind_graphs(program_, graphs); }), HasSubstr("pulls 'x'"));
  EXPECT_EQ(session_.forward(*given, samples, pulls("x", rows)).output("h").size(), 12U);
}

// A module may be called with other parameters between the two passes of a run.
TEST_P(RunPulls, BackwardUsesTheParametersThatAreBoundThen) {
  const GraphSet graphs = forest(true);
  const auto bound = bind_graphs(program_, graphs);
  const auto samples = all_samples(graphs);
  const auto values = std::as_const(*parameters_).values("U");
  std::vector<float> own(values.begin(), values.end()), other(own.size(), 0.25F);
  CavsRun plain = session_.forward(*bound, samples);
  const PulledNumbers expected = numbers_of(plain, *parameters_);
  const int u = parameters_->find("U");
  CavsRun first = session_.forward(*bound, samples);
  parameters_->bind(u, other.data());
  CavsRun second = session_.forward(*bound, samples);
  EXPECT_NE(second.output("h"), expected.h);
  parameters_->bind(u, own.data());
  expect_same(numbers_of(first, *parameters_), expected);
}

TEST(TrainingWithoutDropout, GivesTheGradientsOfInference) {
  const GraphSet graphs = forest(true);
  const CompileOptions options{.dropout = false, .pull_gradients = true, .push_gradients = true};
  const auto samples = all_samples(graphs);
  std::vector<PulledNumbers> all;
  for (const double dropout : {0.0, 0.5}) {
    const Bench bench(model_of(dropout), graphs, options);
    Session session(bench.program, bench.parameters);
    CavsRun run = session.forward(*bench.bound, samples);
    all.push_back(numbers_of(run, *bench.parameters));
  }
  expect_same(all[1], all[0]);
  const Bench random(model_of(0.5), graphs, {.push_gradients = true});
  EXPECT_NE(random.run(samples).outputs.at("h"), all[0].h);
}

}  // namespace
}  // namespace cavs
