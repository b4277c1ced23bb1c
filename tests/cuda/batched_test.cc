// The kernels of engine batched on fibers: their own source, compiled by g++ in place of NVRTC, every access looked at.
// engine_test.cc tests the engine that launches them.

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

/// Against the reference engine; to the same bits whatever the order of threads, and however many blocks share the
/// work.
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

/// Chains with states and words that are not multiples of what tiles are made of.
StepCase chains_of(std::int32_t embedding, std::int32_t hidden, std::int32_t classes, std::int32_t samples) {
  const Model model =
      find_model("var-lstm")
          .make({.vocabulary = 30, .embedding = embedding, .hidden = hidden, .classes = classes, .seed = 3});
  return {ZooCase{"chains", model, random_chains(samples, 30, 11, 4)}, PersistentStep::as_trained()};
}

/// Costs by which all tiles have this size.
TileCosts only(TileSize size) {
  TileCosts costs{.clocks = {1e6, 1e6, 1e6}};
  costs.clocks[size] = 1e-6;
  return costs;
}

/// To the same bits with each size of tiles.
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

/// Depths of several chains, and of more than the groups of warps take at once.
TEST(BatchedTiles, HaveTheSameBitsWhateverTheirSize) {
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
    EXPECT_GT(error_of(found, reference_of(of, Precision::kFp32)), 3 * bound) << "it rounds nothing";
  }
}

TEST(BatchedKernelsOfTiles, TrainWithTheNumbersOfTheReference) {
  expect_right_numbers(wide_softmax(fewer(4)));
  expect_right_numbers(gradients_of_tasks(fewer(4)));
}

/// Some words of records that are others; batched_slow_test.cc has more.
TEST(BatchedRecords, ThatAreChangedAreFound) {
  expect_found(RecordMutants(zoo_case("tree-lstm", 8, 0.2), 1), fewer(150));
}

}  // namespace
}  // namespace cavs::cuda
