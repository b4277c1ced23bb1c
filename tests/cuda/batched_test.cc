// The kernels of engine batched on fibers: their own source, compiled by g++ in place of NVRTC, every access looked at.
// engine_test.cc tests the engine that launches them.

#include <gmock/gmock.h>

#include "cuda/batched_step.h"
#include "cuda/fibers/small_gpu.h"
#include "cuda/outcome.h"
#include "cuda/record_mutants.h"
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

TEST(BatchedKernelsInBf16, TrainWithTheNumbersOfTheReference) { expect_right_numbers(in_bf16(zoo_case("gru", 3))); }

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
