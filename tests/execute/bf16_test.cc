// Products of bf16 in the engine: against the interpreter that rounds alike, and law 4; in the instructions that this
// processor has for bf16, and, by CAVS_BF16, in plain code and on modelled tiles (tests/CMakeLists.txt runs all).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/cpu/amx_model.h"
#include "backend/cpu/kernels.h"
#include "cavs/trainer.h"
#include "helpers/evaluate.h"
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

/// Length of the difference by the length of what is expected.
double error(std::span<const float> found, std::span<const float> expected) {
  double length = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    length += double{expected[i]} * double{expected[i]};
    difference += (double{found[i]} - double{expected[i]}) * (double{found[i]} - double{expected[i]});
  }
  return std::sqrt(length == 0 ? difference : difference / length);
}

double error(const Result& found, const Result& expected) {
  double worst = std::abs(found.loss - expected.loss) / std::abs(expected.loss);
  for (const auto& [port, values] : expected.outputs) worst = std::max(worst, error(found.outputs.at(port), values));
  for (std::size_t p = 0; p < expected.gradients.values.size(); ++p)
    worst = std::max(worst, error(found.gradients.values[p], expected.gradients.values[p]));
  return worst;
}

class Bf16OfModel : public ZooTest {
 protected:
  void SetUp() override { skip_without_bf16(); }
};
INSTANTIATE_TEST_SUITE_P(Zoo, Bf16OfModel, testing::ValuesIn(fewer(zoo_names())), zoo_test_name);

// A number near a tie may round to either side, and in a net of a few numbers one is a large part of what rounding
// does. Most minibatches have none and agree as closely as fp32 does; the others stay nearer to what rounds alike than
// to what does not round.
TEST_P(Bf16OfModel, AgreesWithTheInterpreterThatRoundsAlike) {
  constexpr std::int32_t kMinibatches = 5, kSize = 2;
  const ZooCase zoo = make(kMinibatches * kSize);
  const Bench bench(zoo.model, zoo.graphs, {.disabled_passes = {"share_lookups"}});  // it sums before it rounds
  const auto samples = all_samples(zoo.graphs);
  ASSERT_EQ(samples.size(), kMinibatches * kSize) << zoo.name;
  std::vector<double> ratios;
  for (std::int32_t m = 0; m < kMinibatches; ++m) {
    const std::vector<std::int32_t> minibatch(samples.begin() + m * kSize, samples.begin() + (m + 1) * kSize);
    const Result found = bench.run(minibatch, kBf16);
    const Result alike = bench.run(minibatch, {.engine = EngineKind::kReference, .precision = Precision::kBf16});
    const double from_double = error(found, bench.run(minibatch, {.engine = EngineKind::kReference}));
    EXPECT_GT(from_double, 1e-3) << zoo.name << ": nothing was rounded";
    ratios.push_back(error(found, alike) / from_double);
  }
  std::sort(ratios.begin(), ratios.end());
  EXPECT_LT(ratios[kMinibatches / 2], 1.0 / 1000) << zoo.name;
  EXPECT_LT(ratios.back(), 1.0 / 2) << zoo.name;
}

TEST_P(Bf16OfModel, OutputsOfASampleDoNotDependOnItsBatchMatesNorThreads) {
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

TEST_F(Bf16, ASessionTellsWhatItsProductsRunIn) {
  const ZooCase zoo = zoo_cases(2)[0];
  const Bench bench(zoo.model, zoo.graphs);
  EXPECT_EQ(Session(bench.program, bench.parameters, kBf16).precision(), Precision::kBf16);
  EXPECT_EQ(Session(bench.program, bench.parameters).precision(), Precision::kFp32);
}

// For a step of hundreds of products each thread loads the configuration of its tiles once, and drops it.
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

}  // namespace
}  // namespace cavs
