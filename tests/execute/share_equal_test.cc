// Equal vertices that are evaluated once: the bits of evaluating each in the forward pass, gradients by law 1.

#include <gmock/gmock.h>

#include <limits>

#include "cavs/generators.h"
#include "compile/passes.h"
#include "helpers/evaluate.h"
#include "helpers/finite_differences.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

constexpr std::int32_t kFewWords = 4;  // so that many vertices are equal

struct Counted {
  Result result;
  RunStatistics statistics;
};

Counted run_counted(const Bench& bench, std::span<const std::int32_t> samples, const SessionOptions& options) {
  Session session(bench.program, bench.parameters, options);
  Run run = session.forward(*bench.bound, samples);
  Result result = result_of(run, *bench.program, *bench.parameters);
  return {std::move(result), run.statistics()};
}

/// @return vertices evaluated and given
std::pair<std::int64_t, std::int64_t> expect_same_with(const Model& model, const GraphSet& graphs,
                                                       const std::string& what, const CompileOptions& options = {}) {
  const auto samples = all_samples(graphs);
  CompileOptions sharing = options;
  sharing.share_equal = true;
  const Bench each(model, graphs, options), once(model, graphs, sharing);
  const Result expected = each.run(samples);
  const Result reference = once.run(samples, {.engine = EngineKind::kReference});
  std::pair<std::int64_t, std::int64_t> counts;
  for (const char* policy : {"frontier", "agenda", "serial"}) {
    const std::string with = what + ", " + policy;
    const auto [found, statistics] = run_counted(once, samples, {.policy = policy});
    counts = {statistics.vertices, statistics.given_vertices};
    EXPECT_EQ(found.loss, expected.loss) << with;
    EXPECT_EQ(found.labels, expected.labels) << with;
    for (const auto& [port, values] : expected.outputs)
      expect_same_bits(found.outputs.at(port), values, with + ", push '" + port + "'");
    expect_same_numbers(found, reference, *once.parameters, with);
    for (const int threads : {1, 3})
      expect_same_result_bits(once.run(samples, {.threads = threads, .policy = policy}), found,
                              with + ", " + std::to_string(threads));
  }
  return counts;
}

class ShareEqualOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, ShareEqualOfModel, testing::ValuesIn(fewer(model_names())), zoo_test_name);

TEST_P(ShareEqualOfModel, ChangesNoBitForwardAndKeepsLawOneBackward) {
  const GraphSet graphs = random_samples(find_model(GetParam()), 24, kFewWords, 11);
  const auto [evaluated, given] = expect_same_with(small_model(GetParam()), graphs, GetParam());
  EXPECT_LE(evaluated, given);
  RecordProperty("evaluated", std::to_string(evaluated) + " of " + std::to_string(given));
}

/// Reads everything that a vertex may have in common with others, and has labels on which they differ.
Model mixed(int types) {
  Model m({.seed = 5});
  constexpr std::int32_t kWidth = 6;
  for (int t = 0; t < types; ++t)
    m.vertex_function("type" + std::to_string(t), [&](Vertex& v) {
      const std::string own = std::to_string(t);
      const auto weight = [&](const char* name) { return m.parameter(name + own, {kWidth, kWidth}); };
      auto x = m.lookup("E", {kWords, kWidth}, Initializer::uniform(1))(v.pull_index("word"));
      auto box = v.pull("box", kBoxWidth) * m.parameter("B", {kBoxWidth, kWidth});
      auto l = v.gather(0, "h"), r = v.gather(1, "h"), all = v.children("h");
      auto products = l * weight("L") + r * weight("R") + x * weight("X") + max(all * weight("A"));
      auto h = tanh(products + box + l * 0.25 + sum(softmax(all) * v.children("g")));
      v.scatter("h", h), v.scatter("g", sigmoid(l * weight("G") + h));
      v.push("h", h), v.push("y", h * weight("Y"));
      v.loss(softmax_cross_entropy(slice(h * m.parameter("C", {kWidth, kLabels}), 0, kLabels), v.pull_index("label")));
    });
  return m;
}

/// `distinct` random graphs, each `copies` times with other labels; of `types` types.
GraphSet copied_graphs(int distinct, int copies, int types) {
  GraphSchema schema = dressed_schema({});
  for (int t = 0; t < types; ++t) schema.types.push_back("type" + std::to_string(t));
  GraphSet graphs(schema);
  Numbers numbers(17);
  for (int i = 0; i < distinct * copies; ++i) {
    const auto seed = static_cast<std::uint64_t>(i % distinct);
    const int vertices = 1 + 7 * (i % distinct);
    InputGraph graph =
        dressed(generate_dag({.vertices = vertices, .min_arity = 0, .max_arity = 4, .types = types, .absent = 0.2F},
                             seed, static_cast<std::int64_t>(seed)),
                seed);
    for (std::int32_t& label : graph.index_pulls[1]) label = numbers.below(3) == 0 ? -1 : numbers.below(kLabels);
    graphs.add(graph);
  }
  return graphs;
}

TEST(ShareEqual, EvaluatesCopiesOfGraphsOnceWhateverTheirLabels) {
  constexpr int kDistinct = 5, kCopies = 4;
  for (const int types : {1, 3}) {
    const GraphSet graphs = copied_graphs(kDistinct, kCopies, types);
    const auto [evaluated, given] = expect_same_with(mixed(types), graphs, std::to_string(types) + " types");
    EXPECT_EQ(given, graphs.vertices());
    EXPECT_LE(evaluated * kCopies, given);
  }
}

TEST(ShareEqual, HoldsWithEveryPassSwitchedOff) {
  const GraphSet graphs = copied_graphs(3, 3, 2);
  std::vector<std::vector<std::string>> switched_off(1);
  for (const std::string_view pass : optional_passes())
    switched_off.push_back({std::string(pass)}), switched_off[0].emplace_back(pass);
  const auto samples = all_samples(graphs);
  const Model model = mixed(2);
  const Bench each(model, graphs);
  const Result reference = each.run(samples, {.engine = EngineKind::kReference});
  for (const auto& passes : switched_off) {
    const Bench once(model, graphs, {.share_equal = true, .disabled_passes = passes});
    const std::string what = "without " + passes.front() + (passes.size() > 1 ? " and all others" : "");
    expect_same_numbers(once.run(samples), reference, *once.parameters, what);
  }
}

TEST(ShareEqual, GradientsOfWhatIsCompiledMatchDifferences) {
  const GraphSet graphs = copied_graphs(4, 1, 2);
  const Bench bench(mixed(2), graphs, {.share_equal = true});
  expect_gradients_match_differences(bench, all_samples(graphs), "mixed");
}

std::int64_t evaluated(const Model& model, const GraphSet& graphs, CompileOptions options = {}) {
  options.share_equal = true;
  const Bench bench(model, graphs, options);
  return run_counted(bench, all_samples(graphs), {}).statistics.vertices;
}

TEST(ShareEqual, SharesNothingThatIsRandomOrGivenOrTakenByVertex) {
  const GraphSet trees = random_samples(find_model("tree-lstm-binary"), 12, kFewWords, 3);
  EXPECT_LT(evaluated(small_model("tree-lstm-binary"), trees), trees.vertices());
  EXPECT_EQ(evaluated(small_model("tree-lstm-binary", 0.3), trees), trees.vertices()) << "dropout";
  const GraphSet copies = copied_graphs(2, 3, 1);
  EXPECT_LT(evaluated(mixed(1), copies), copies.vertices());
  EXPECT_EQ(evaluated(mixed(1), copies, {.pull_gradients = true}), copies.vertices()) << "gradients of pulls";
  EXPECT_EQ(evaluated(mixed(1), copies, {.push_gradients = true}), copies.vertices()) << "gradients of pushes";
}

TEST(ShareEqual, TellsWhatIsNotFiniteByTheSampleThatHadItFirst) {
  const GraphSet graphs = copied_graphs(2, 2, 1);
  const Bench bench(mixed(1), graphs, {.share_equal = true});
  const int p = bench.parameters->find("C");
  for (float& x : bench.parameters->values(p)) x = std::numeric_limits<float>::infinity();
  bench.parameters->touch(p);
  Session session(bench.program, bench.parameters);
  const cavs::Run run = session.forward(*bench.bound, all_samples(graphs));
  EXPECT_THAT(run.find_not_finite(), testing::HasSubstr("of sample"));
}

}  // namespace
}  // namespace cavs
