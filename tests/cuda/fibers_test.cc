// The persistent kernel on fibers: its own source, compiled by g++ in place of NVRTC.

#include <gmock/gmock.h>

#include "cuda/fibers/step_on_fibers.h"
#include "helpers/compare.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda {
namespace {

/// A GPU of so few processors; transposed weights have copies of their own where `copies`.
OnChipTarget few_processors(int processors, bool copies) {
  OnChipTarget target = gpu_targets().back();
  target.processors = processors;
  if (copies) target.transposed = TransposedReads::kCopy;
  return target;
}

StepOptions sgd() {
  StepOptions options;
  options.optimizer = optimizer_defaults("sgd");
  options.optimizer.lr = 0.1;
  return options;
}

void expect_same_bits(const StepOutcome& found, const StepOutcome& expected, const Parameters& parameters) {
  EXPECT_EQ(found.result.loss, expected.result.loss);
  for (int p = 0; p < parameters.size(); ++p) {
    cavs::expect_same_bits(found.gradients.values[p], expected.gradients.values[p],
                           "gradient of " + parameters.info(p).name);
    cavs::expect_same_bits(found.parameters[p], expected.parameters[p], parameters.info(p).name);
  }
}

class FibersOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, FibersOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(FibersOfModel, TrainWithTheNumbersOfTheReference) {
  const ZooCase zoo = make(fewer(6), 0.2);
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  Parameters& parameters = *bench.parameters;
  const KernelOnFibers kernel(zoo.model, few_processors(3, true));
  StepOptions options = sgd();
  const StepOutcome found = kernel.run(zoo.graphs, samples, parameters, options);
  EXPECT_NEAR(found.result.loss / static_cast<double>(samples.size()), reference.loss, 1e-5 * std::abs(reference.loss));
  EXPECT_EQ(found.result.updated, 1U);
  for (int p = 0; p < parameters.size(); ++p)
    expect_close(found.gradients.values[p], reference.gradients.values[p], "gradient of " + parameters.info(p).name);
  options.order = 1;
  expect_same_bits(kernel.run(zoo.graphs, samples, parameters, options), found, parameters);
  Optimizer(options.optimizer, parameters).step(parameters, reference.gradients);
  for (int p = 0; p < parameters.size(); ++p)
    expect_close(found.parameters[p], parameters.values(p), parameters.info(p).name);
}

}  // namespace
}  // namespace cavs::cuda
