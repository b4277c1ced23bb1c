// The new operator is listed, and computes the values and the gradient of its definition.

#include <algorithm>

#include "helpers/finite_differences.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

Model recurrent() {
  Model m({.seed = 3});
  m.vertex_function("type0", [&](Vertex& v) {
    auto x = m.lookup("E", {kWords, 7})(v.pull_index("word"));
    auto h = apply_op("softsign", {x + sum(v.children("h")) * m.parameter("U", {7, 7})});
    v.scatter("h", h);
    v.push("h", h);
    v.loss(softmax_cross_entropy(h * m.parameter("W", {7, kLabels}), v.pull_index("label")));
  });
  return m;
}

TEST(NewOperator, IsListedAndFoundByNameAndId) {
  EXPECT_TRUE(std::ranges::any_of(all_ops(), [](const OpDef* op) { return op->name == "softsign" && op->in_public; }));
  EXPECT_EQ(&find_op("softsign"), &find_op(OpId::kSoftsign));
}

TEST(NewOperator, IsSavedAndLoaded) {
  EXPECT_EQ(Model::from_json(recurrent().to_json()).to_json(), recurrent().to_json());
}

TEST(NewOperator, GivesTheSameValuesInBothEnginesAndAgreesWithFiniteDifferences) {
  const GraphSet graphs = random_dags({.vertices = 12, .min_arity = 0, .max_arity = 3}, 4, 2);
  const auto samples = all_samples(graphs);
  const Bench bench(recurrent(), graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  for (const int threads : {1, 2})
    expect_same_numbers(bench.run(samples, {.threads = threads}), reference, *bench.parameters, "softsign");
  const auto& h = reference.outputs.at("h");
  EXPECT_TRUE(std::ranges::any_of(h, [](float x) { return x != 0; }));
  EXPECT_TRUE(std::ranges::all_of(h, [](float x) { return -1 < x && x < 1; }));
  expect_gradients_match_differences(bench, samples, "softsign");
}

TEST(NewOperator, FollowsItsDefinition) {
  Model m;
  m.vertex_function("type0",
                    [&](Vertex& v) { v.push("y", apply_op("softsign", {sum_features(v.pull("x", 1)) * 1.0})); });
  GraphSet graphs({.types = {"type0"}, .float_ports = {{"x", 1}}});
  graphs.add({.types = {0, 0, 0}, .child_offsets = {0, 0, 0, 0}, .float_pulls = {{-3, 0, 1}}});
  EXPECT_EQ(Bench(m, graphs, {.training = false}).run(all_samples(graphs)).outputs.at("y"),
            (std::vector<float>{-0.75F, 0, 0.5F}));
}

}  // namespace
}  // namespace cavs::inline v0_1
