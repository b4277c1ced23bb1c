// Values that ∂F recomputes have the bits that F would have stored, and need no more memory.

#include <gtest/gtest.h>

#include "helpers/planned.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

/// Checks that the pass changes no bits. @return the number of nodes that it added
int expect_same_without(const Model& model, const GraphSet& graphs, const std::string& what) {
  const auto samples = all_samples(graphs);
  const Bench with(model, graphs), without(model, graphs, {.disabled_passes = {"recompute"}});
  for (const char* policy : {"frontier", "serial"}) {
    const Result expected = without.run(samples, {.policy = policy}, 1);
    for (int threads : {1, 3})
      expect_same_result_bits(with.run(samples, {.threads = threads, .policy = policy}, 1), expected,
                              what + ", " + policy + ", " + std::to_string(threads) + " threads");
    // Compares only the bytes of the plan: recomputed values are in a tile, whose rows are rounded up.
    EXPECT_LE(Planned(with, policy).plan.bytes(), Planned(without, policy).plan.bytes()) << what << ", " << policy;
  }
  return computed_again(*with.program);
}

class RecomputeOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, RecomputeOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(RecomputeOfModel, ChangesNoBitAndNeedsNoMoreMemory) {
  const ZooCase zoo = make(fewer(32), 0.3);
  expect_same_without(zoo.model, zoo.graphs, zoo.name);
}

/// Cheap values in every domain and stage, each read only by loops of ∂F.
Model cheap_values(std::int32_t width) {
  Model m({.seed = 11});
  m.vertex_function("type0", [&](Vertex& v) {
    auto b = m.parameter("b", {width}, Initializer::uniform(1));
    auto W = m.parameter("W", {width, width}), U = m.parameter("U", {width, width});
    auto x = m.lookup("E", {kWords, width})(v.pull_index("word"));
    auto hs = v.children("h");
    auto eager = gelu(x * W + b);
    auto edges = square(hs * 0.5 + b);
    auto h = tanh(sum(edges) + eager + square(v.gather(0, "h") - 0.25));
    v.scatter("h", h);
    v.push("h", h);
    v.loss(sum_features(gelu(square(h * U + b) * 0.25 + b)));
    v.loss(softmax_cross_entropy(slice(h * W, 0, kLabels), v.pull_index("label")));
  });
  return m;
}

TEST(Recompute, ChangesNoBitOfValuesInEveryDomainAndStage) {
  for (const NamedGraphs& zoo : graph_zoo())
    for (std::int32_t width : {5, 64})
      EXPECT_GT(expect_same_without(cheap_values(width), zoo.graphs, zoo.name), 2) << zoo.name;
}

}  // namespace
}  // namespace cavs
