// The kernels of engine batched on fibers: their source is compiled by g++ instead of NVRTC, and every access is
// checked. engine_test.cc tests the engine that launches them.

#include <gmock/gmock.h>

#include "cuda/batched_step.h"
#include "cuda/fibers/small_gpu.h"
#include "cuda/outcome.h"
#include "cuda/record_mutants.h"
#include "helpers/rounding.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda {
namespace {

/// Compares with the reference engine. The bits must not depend on the order of threads or on the number of blocks.
void expect_right_numbers(const StepCase& of, const std::vector<std::int32_t>& samples) {
  const Bench bench(of.zoo.model, of.zoo.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  const BatchedStep step(of);
  const LaunchesOnFibers fibers(step);
  StepOptions options = sgd();
  const PackedStep minibatch = step.pack(of.zoo.graphs, samples, options);
  const StepOutcome found = fibers.run(minibatch, *bench.parameters, options, 3);
  for (const int blocks : {1, 5}) {
    ++options.order;
    expect_same_bits(fibers.run(minibatch, *bench.parameters, options, blocks), found, *bench.parameters);
  }
  expect_numbers_of_reference(found, reference, samples.size(), options, of.kernel.precision, *bench.parameters);
}

void expect_right_numbers(const StepCase& of) { expect_right_numbers(of, all_samples(of.zoo.graphs)); }

class BatchedKernelsOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, BatchedKernelsOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(BatchedKernelsOfModel, TrainWithTheNumbersOfTheReference) { expect_right_numbers(make(fewer(4), 0.2)); }

/// The kernels' source with one text replaced by another.
KernelSource with_text(KernelSource source, const std::string& what, const std::string& with) {
  std::size_t found = 0;
  for (SourceFile& file : source.files)
    for (std::size_t at = 0; (at = file.text.find(what, at)) != std::string::npos; at += with.size(), ++found)
      file.text.replace(at, what.size(), with);
  EXPECT_EQ(found, 1U) << what;
  return source;
}

class BatchedHalvesOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, BatchedHalvesOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

/// Copies in bf16 must give the bits of fp32 numbers that are rounded when they are read.
TEST_P(BatchedHalvesOfModel, HaveTheBitsOfRoundingOnRead) {
  const StepCase of = in_bf16(make(fewer(4), 0.2));
  const auto parameters = of.zoo.model.make_parameters();
  const BatchedStep step(of);
  const StepOptions options = sgd();
  const PackedStep minibatch = step.pack(of.zoo.graphs, all_samples(of.zoo.graphs), options);
  const auto run = [&](const KernelSource& source) {
    return LaunchesOnFibers(step, source).run(minibatch, *parameters, options, 3);
  };
  const StepOutcome found = run(step.source());
  EXPECT_TRUE(std::isfinite(found.result.loss));
  const StepOutcome rounded = run(with_text(
      with_text(step.source(), "kKeepsHalves && buffer == kFactorBuffer ? a.halves + offset : nullptr", "nullptr"),
      "kKeepsHalves ? a.weight_halves + number : nullptr", "nullptr"));
  expect_same_bits(found, rounded, *parameters);
}

/// No other code writes the copies: numbers that are not rounded are NaN.
TEST(BatchedHalves, AreWhatProductsRead) {
  const StepCase of = in_bf16(zoo_case("tree-lstm", 2, 0.2));
  const auto parameters = of.zoo.model.make_parameters();
  const BatchedStep step(of);
  const PackedStep minibatch = step.pack(of.zoo.graphs, all_samples(of.zoo.graphs), sgd());
  const auto norm_with = [&](const std::string& what, const std::string& with) {
    return LaunchesOnFibers(step, with_text(step.source(), what, with))
        .run(minibatch, *parameters, sgd(), 2)
        .result.norm;
  };
  EXPECT_TRUE(std::isnan(norm_with("store(halves + number, half_of(x));", "{}")));
  EXPECT_TRUE(std::isnan(norm_with("half_of(load(parameters_of(a, p) + number))", "half_of(math::log(-1.0F))")));
}

/// Chains whose states and words do not fill whole tiles.
StepCase chains_of(std::int32_t embedding, std::int32_t hidden, std::int32_t classes, std::int32_t samples) {
  const Model model =
      find_model("var-lstm")
          .make({.vocabulary = 30, .embedding = embedding, .hidden = hidden, .classes = classes, .seed = 3});
  return {ZooCase{"chains", model, random_chains(samples, 30, 11, 4)}, PersistentStep::as_trained()};
}

/// Costs that make all tiles have this size.
TileCosts only(TileSize size) {
  TileCosts costs{.clocks = {1e6, 1e6, 1e6}};
  costs.clocks[size] = 1e-6;
  return costs;
}

/// Checks that all sizes of tiles give the same bits.
StepOutcome expect_bits_of_all_sizes(const StepCase& of) {
  const auto parameters = of.zoo.model.make_parameters();
  const StepOptions options = sgd();
  std::vector<StepOutcome> found;
  for (const TileSize size : {kSmallTile, kMediumTile, kLargeTile}) {
    const BatchedStep step(of, only(size));
    found.push_back(LaunchesOnFibers(step).run(step.pack(of.zoo.graphs, all_samples(of.zoo.graphs), options),
                                               *parameters, options, 2));
    expect_same_bits(found.back(), found.front(), *parameters);
  }
  return std::move(found.front());
}

Result reference_of(const StepCase& of, Precision precision) {
  return Bench(of.zoo.model, of.zoo.graphs, of.options)
      .run(all_samples(of.zoo.graphs), {.engine = EngineKind::kReference, .precision = precision});
}

double error_of(const StepOutcome& found, const Result& reference) {
  double worst = 0;
  for (std::size_t p = 0; p < reference.gradients.size(); ++p)
    worst = std::max(worst, largest_error(found.gradients.values(p), reference.gradients.values(p)));
  return worst;
}

/// Depths of several chains, and of more chains than the groups of warps hold at once.
TEST(BatchedTiles, HaveTheSameBitsInEverySize) {
  for (const StepCase& of : {chains_of(37, 70, 40, fewer(6)), chains_of(1100, 6, 5, 2)}) {
    const StepOutcome found = expect_bits_of_all_sizes(of);
    EXPECT_LT(error_of(found, reference_of(of, Precision::kFp32)), 1e-5);
  }
}

TEST(BatchedTiles, RoundAsTheReferenceDoesInEachPrecision) {
  for (const auto& [precision, bound] : {std::pair{Precision::kTf32, 1e-4}, {Precision::kBf16, 1e-3}}) {
    SCOPED_TRACE(to_string(precision));
    StepCase of = chains_of(37, 70, 40, fewer(6));
    of.options.disabled_passes = passes_that_move_rounding();
    of.kernel.precision = precision;
    const StepOutcome found = expect_bits_of_all_sizes(of);
    EXPECT_LT(error_of(found, reference_of(of, precision)), bound);
    EXPECT_GT(error_of(found, reference_of(of, Precision::kFp32)), 3 * bound) << "nothing was rounded";
  }
}

TEST(BatchedKernelsOfTiles, TrainWithTheNumbersOfTheReference) {
  expect_right_numbers(wide_softmax(fewer(4)));
  expect_right_numbers(gradients_of_tasks(fewer(4)));
}

/// Changes some words of records; batched_slow_test.cc changes more.
TEST(BatchedRecords, ChangesAreFound) { expect_found(RecordMutants(zoo_case("tree-lstm", 8, 0.2), 1), fewer(150)); }

}  // namespace
}  // namespace cavs::cuda
