// Compares bf16 products in the engine with the reference that rounds alike, and checks law 4. CAVS_BF16 selects the
// processor's bf16 instructions, plain code or modelled tiles; tests/CMakeLists.txt runs all of them.

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/cpu/amx_model.h"
#include "backend/cpu/kernels.h"
#include "cavs/trainer.h"
#include "compile/passes.h"
#include "helpers/rounding.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

void skip_without_bf16() {
  if (cpu::bf16_instruction_set().empty())
    GTEST_SKIP() << "this processor has no instructions for bf16; CAVS_BF16=emulate runs the test in plain code";
}

class Bf16 : public testing::Test {
 protected:
  void SetUp() override { skip_without_bf16(); }
};

const SessionOptions kBf16{.precision = Precision::kBf16};

class Bf16OfModel : public ZooTest {
 protected:
  void SetUp() override { skip_without_bf16(); }
};
INSTANTIATE_TEST_SUITE_P(Zoo, Bf16OfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

std::vector<std::string> every_pass() {
  const std::vector<std::string_view> names = optional_passes();
  return {names.begin(), names.end()};
}

// A number near a tie may round to either side, and in a small network one such number changes much of the rounding
// error. Most minibatches have no ties and keep law 1. The others stay as close as rounding allows.
TEST_P(Bf16OfModel, KeepsLawOneWithoutThePassesThatMoveRounding) {
  constexpr std::int32_t kMinibatches = 5, kSize = 2;
  const ZooCase zoo = make(kMinibatches * kSize);
  const Bench bench(zoo.model, zoo.graphs), without_all(zoo.model, zoo.graphs, {.disabled_passes = every_pass()});
  const Bench without_these(zoo.model, zoo.graphs, {.disabled_passes = passes_that_move_rounding()});
  const auto samples = all_samples(zoo.graphs);
  ASSERT_EQ(samples.size(), kMinibatches * kSize) << zoo.name;
  std::vector<double> errors, others;
  for (std::int32_t m = 0; m < kMinibatches; ++m) {
    const std::vector<std::int32_t> minibatch(samples.begin() + m * kSize, samples.begin() + (m + 1) * kSize);
    const Result reference = bench.run(minibatch, {.engine = EngineKind::kReference, .precision = Precision::kBf16});
    const Result exact = bench.run(minibatch, {.engine = EngineKind::kReference});
    EXPECT_GT(largest_error(reference, exact), 1e-3) << zoo.name << ": nothing was rounded";
    EXPECT_LT(largest_error(bench.run(minibatch, kBf16), reference), kBf16Bound) << zoo.name;
    errors.push_back(largest_error(without_these.run(minibatch, kBf16), reference));
    others.push_back(largest_error(without_all.run(minibatch, kBf16), reference));
  }
  for (std::vector<double>* found : {&errors, &others}) {
    std::ranges::sort(*found);
    EXPECT_LT((*found)[kMinibatches / 2], 1e-5) << zoo.name;
    EXPECT_LT(found->back(), kBf16Bound) << zoo.name;
  }
}

/// A model in which the pass sums gradients before a product rounds them.
Model moved_by(const std::string& pass) {
  Model m({.seed = 5});
  auto E = m.lookup("E", {kWords, 16}, Initializer::uniform(1));
  auto W = m.parameter("W", {16, 16}), b = m.parameter("b", {16}, Initializer::uniform(1));
  m.vertex_function("cell", [&](Vertex& v) {
    const Value word = E(v.pull_index("word")), below = sum(v.children("h")) * 0.5;
    Value h = tanh(word * W + below);
    if (pass == "simplify") {
      const Value x = word + below + b;
      h = tanh(x * W) * sigmoid(x * W);
    }
    v.scatter("h", h);
    v.push("h", h);
    v.loss(sum_features(square(h)));
  });
  return m;
}

/// Errors of the engine against the reference that rounds alike, one per sample, ascending.
std::vector<double> errors_of(const Model& model, const GraphSet& graphs, const std::vector<std::string>& off) {
  const Bench bench(model, graphs, {.disabled_passes = off});
  std::vector<double> errors;
  for (const std::int32_t sample : all_samples(graphs)) {
    const Result reference = bench.run({&sample, 1}, {.engine = EngineKind::kReference, .precision = Precision::kBf16});
    errors.push_back(largest_error(bench.run({&sample, 1}, kBf16), reference));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

TEST_F(Bf16, EachPassThatMovesRoundingDoes) {
  const GraphSet graphs = random_dags({.vertices = 12, .min_arity = 0, .max_arity = 3}, 4, 5);
  for (const std::string& pass : passes_that_move_rounding()) {
    const std::vector<double> alike = errors_of(moved_by(pass), graphs, {pass});
    const std::vector<double> moved = errors_of(moved_by(pass), graphs, {});
    EXPECT_LT(alike[alike.size() / 2], 1e-5) << pass;
    EXPECT_GT(moved.front(), 1e-4) << pass;
    EXPECT_LT(moved.back(), kBf16Bound) << pass;
  }
}

TEST_F(Bf16, ASoftmaxInTilesRoundsWhatTheWholeProductRounds) {
  const GraphSet graphs = random_dags({.vertices = 12, .min_arity = 0, .max_arity = 3}, 5, 5);
  Model m({.seed = 5});
  auto E = m.lookup("E", {kWords, 16}, Initializer::uniform(1));
  auto W = m.parameter("W", {16, 300}), b = m.parameter("b", {300}, Initializer::uniform(1));
  m.vertex_function("cell", [&](Vertex& v) {
    const Value h = tanh(E(v.pull_index("word")) + sum(v.children("h")) * 0.5);
    v.scatter("h", h);
    v.loss(softmax_cross_entropy(h * W + b, v.pull_index("label")));
  });
  const auto program = compile(m);
  const auto is_tiled = [](const Node& node) { return node.is(OpId::kLinearCrossEntropyDw); };
  ASSERT_TRUE(std::ranges::any_of(program->types[0].function.nodes, is_tiled));
  EXPECT_LT(errors_of(m, graphs, {})[2], 1e-5);
}

TEST_P(Bf16OfModel, OutputsOfASampleDoNotDependOnOtherSamplesOrThreads) {
  const ZooCase zoo = make(fewer(24));
  const Bench bench(zoo.model, zoo.graphs);
  const auto all = all_samples(zoo.graphs);
  const Result together = bench.run(all, kBf16);
  for (int threads : {1, 2, 3}) {
    SessionOptions options = kBf16;
    options.threads = threads;
    expect_same_result_bits(bench.run(all, options), together, zoo.name + ", " + std::to_string(threads));
    Session session(bench.program, bench.parameters, options);
    std::vector<float> logits;
    for (std::int32_t s : all) {
      const auto values = session.forward(*bench.bound, {&s, 1}).output("logits");
      logits.insert(logits.end(), values.begin(), values.end());
    }
    expect_same_bits(logits, together.outputs.at("logits"), zoo.name + ", alone");
  }
}

TEST_F(Bf16, ASessionReportsTheInstructionsOfItsProducts) {
  const ZooCase zoo = zoo_cases(2)[0];
  const Bench bench(zoo.model, zoo.graphs);
  EXPECT_EQ(Session(bench.program, bench.parameters, kBf16).precision(), Precision::kBf16);
  EXPECT_EQ(Session(bench.program, bench.parameters).precision(), Precision::kFp32);
}

#if defined(CAVS_TEST_KERNELS)
// Each thread loads its tile configuration once per step, which has hundreds of products, and releases it at the end.
TEST_F(Bf16, AStepConfiguresTheTilesOncePerThread) {
  if (cpu::bf16_instruction_set() != "amx_model")
    GTEST_SKIP() << "instructions for tiles are counted where they are modelled: CAVS_BF16=amx_model";
  const ZooCase zoo = zoo_case("tree-lstm-binary", 12, 0.2);
  for (const int threads : {1, 2}) {
    TrainOptions options;
    options.batch_size = 4;
    options.session = {.threads = threads, .precision = Precision::kBf16};
    Trainer trainer(zoo.model, zoo.graphs, options);
    for (int step = 0; step < 3; ++step) {
      const cpu::amx_model::Counts before = cpu::amx_model::counts();
      trainer.step();
      const cpu::amx_model::Counts after = cpu::amx_model::counts();
      EXPECT_GT(after.multiplications, before.multiplications);
      EXPECT_LE(after.configurations - before.configurations, threads);
      EXPECT_GE(after.configurations - before.configurations, 1);
      EXPECT_EQ(after.configurations, after.releases) << "a thread went on with its tiles configured";
    }
  }
}
#endif

}  // namespace
}  // namespace cavs
