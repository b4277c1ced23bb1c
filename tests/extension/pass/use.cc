// The new pass is listed, runs, logs its changes, can be switched off, and changes no result.

#include <gmock/gmock.h>

#include <algorithm>
#include <span>

#include "compile/passes.h"
#include "helpers/finite_differences.h"

namespace cavs::inline v0_1 {
namespace {

Model twice_negated() {
  Model m({.seed = 3});
  m.vertex_function("type0", [&](Vertex& v) {
    auto x = m.lookup("E", {kWords, 6})(v.pull_index("word"));
    auto h = tanh(-(-(x + sum(v.children("h")))));
    v.scatter("h", h);
    v.push("h", h);
    v.loss(softmax_cross_entropy(h * m.parameter("W", {6, kLabels}), v.pull_index("label")));
  });
  return m;
}

/// Number of negations in F. Gradients may have others.
std::int64_t negations(const Program& program) {
  const Function& f = program.types[0].function;
  return std::ranges::count_if(std::span(f.nodes).first(f.forward), [](const Node& n) { return n.is(OpId::kNegate); });
}

TEST(NewPass, RunsPrintsAndCanBeSwitchedOff) {
  EXPECT_THAT(optional_passes(), testing::Contains("cancel_negations"));
  const auto with = compile(twice_negated()),
             without = compile(twice_negated(), {.disabled_passes = {"cancel_negations"}});
  EXPECT_THAT(with->log, testing::Contains("type0: cancel_negations: 1 cancelled"));
  EXPECT_THAT(without->log, testing::Contains("type0: cancel_negations is off"));
  EXPECT_EQ(negations(*with), 0);
  EXPECT_EQ(negations(*without), 2);
}

TEST(NewPass, ChangesNoNumber) {
  const GraphSet graphs = random_dags({.vertices = 12, .min_arity = 0, .max_arity = 3}, 4, 2);
  const auto samples = all_samples(graphs);
  const Bench with(twice_negated(), graphs),
      without(twice_negated(), graphs, {.disabled_passes = {"cancel_negations"}});
  expect_same_numbers(with.run(samples), without.run(samples, {.engine = EngineKind::kReference}), *with.parameters,
                      "without negations");
  expect_gradients_match_differences(with, samples, "without negations");
}

}  // namespace
}  // namespace cavs::inline v0_1
