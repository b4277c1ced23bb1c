// Products of bf16 in the engine: against the interpreter that rounds alike, and law 4. Without AMX the twin in plain
// code runs.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/sanitizer.h"

namespace cavs {
namespace {

const bool kEmulated = setenv("CAVS_BF16", "emulate", 0) == 0;  // before anything asks

const SessionOptions kBf16{.precision = "bf16"};

/// Length of the difference by the length of what is expected.
double error(const std::vector<float>& found, const std::vector<float>& expected) {
  double length = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    length += double{expected[i]} * double{expected[i]};
    difference += (double{found[i]} - double{expected[i]}) * (double{found[i]} - double{expected[i]});
  }
  return std::sqrt(length == 0 ? difference : difference / length);
}

/// Largest difference by the largest number.
double farthest(const std::vector<float>& found, const std::vector<float>& expected) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(double{expected[i]}));
    difference = std::max(difference, std::abs(double{found[i]} - double{expected[i]}));
  }
  return largest == 0 ? difference : difference / largest;
}

double error(const Result& found, const Result& expected) {
  double worst = std::abs(found.loss - expected.loss) / std::abs(expected.loss);
  for (const auto& [port, values] : expected.outputs) worst = std::max(worst, error(found.outputs.at(port), values));
  for (std::size_t p = 0; p < expected.gradients.values.size(); ++p)
    worst = std::max(worst, error(found.gradients.values[p], expected.gradients.values[p]));
  return worst;
}

// A number near a tie may round to either side, so numbers are compared together: what rounds in another place is as
// far away as what does not round.
TEST(Bf16, AgreesWithTheInterpreterThatRoundsAlike) {
  ASSERT_TRUE(kEmulated);
  for (const ZooCase& zoo : zoo_cases(fewer(16))) {
    const Bench bench(zoo.model, zoo.graphs, {.disabled_passes = {"share_lookups"}});  // it sums before it rounds
    const auto samples = all_samples(zoo.graphs);
    const Result found = bench.run(samples, kBf16);
    const Result alike = bench.run(samples, {.engine = "reference", .precision = "bf16"});
    const double from_alike = error(found, alike);
    for (std::size_t p = 0; p < alike.gradients.values.size(); ++p)
      EXPECT_LT(farthest(found.gradients.values[p], alike.gradients.values[p]), 1.0 / 256) << zoo.name << ": one tie";
    const double from_double = error(found, bench.run(samples, {.engine = "reference"}));
    EXPECT_LT(from_alike, from_double / 10) << zoo.name;
    EXPECT_GT(from_double, 1e-3) << zoo.name << ": nothing was rounded";
  }
}

TEST(Bf16, OutputsOfASampleDoNotDependOnItsBatchMatesNorThreads) {
  for (const ZooCase& zoo : zoo_cases(fewer(24))) {
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
}

TEST(Bf16, ASessionTellsWhatItsProductsRunIn) {
  const ZooCase zoo = zoo_cases(2)[0];
  const Bench bench(zoo.model, zoo.graphs);
  EXPECT_EQ(Session(bench.program, bench.parameters, kBf16).precision(), "bf16");
  EXPECT_EQ(Session(bench.program, bench.parameters).precision(), "fp32");
}

TEST(Bf16, RefusesAnUnknownPrecision) {
  const ZooCase zoo = zoo_cases(2)[0];
  const Bench bench(zoo.model, zoo.graphs);
  EXPECT_THROW(Session(bench.program, bench.parameters, {.precision = "fp16"}), UserError);
}

}  // namespace
}  // namespace cavs
