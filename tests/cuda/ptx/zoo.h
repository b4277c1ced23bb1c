#pragma once

#include <gtest/gtest.h>

#include "cuda/fibers/step_on_fibers.h"
#include "cuda/ptx/step_on_ptx.h"
#include "helpers/compare.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda::ptx {

/// A GPU of so few processors; transposed weights have copies of their own where `copies`.
inline OnChipTarget few_processors(int processors, bool copies) {
  OnChipTarget target = gpu_targets().back();
  target.processors = processors;
  if (copies) target.transposed = TransposedReads::kCopy;
  return target;
}

inline StepOptions sgd(float clip_norm = 0) {
  StepOptions options;
  options.optimizer = optimizer_defaults("sgd");
  options.optimizer.lr = 0.1;
  options.clip_norm = clip_norm;
  return options;
}

inline void expect_same_bits(const StepOutcome& found, const StepOutcome& expected, const Parameters& parameters) {
  EXPECT_EQ(found.result.loss, expected.result.loss);
  EXPECT_EQ(found.result.norm, expected.result.norm);
  for (int p = 0; p < parameters.size(); ++p) {
    cavs::expect_same_bits(found.gradients.values[p], expected.gradients.values[p],
                           "gradient of " + parameters.info(p).name);
    cavs::expect_same_bits(found.parameters[p], expected.parameters[p], parameters.info(p).name);
  }
}

/// Loss, gradients and updated parameters of a model, from the PTX of these architectures, against the reference engine
/// (the first law) and, bit by bit, against the same source on fibers.
inline void expect_right_numbers(const ZooCase& zoo, const std::vector<std::string>& architectures, bool copies) {
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  Parameters& parameters = *bench.parameters;
  const KernelOnFibers fibers(zoo.model, few_processors(3, copies));
  StepOptions options = sgd();
  const PackedStep minibatch = fibers.step().pack(zoo.graphs, samples, options);
  const StepOutcome expected = fibers.run(minibatch, parameters, options);
  std::vector<StepOutcome> all;
  for (const std::string& architecture : architectures) {
    SCOPED_TRACE(architecture);
    KernelInPtx kernel(fibers.step().source(), architecture);
    options.order = all.size() + 1;
    all.push_back(kernel.run(fibers.step(), minibatch, parameters, options));
    expect_same_bits(all.back(), expected, parameters);
    testing::Test::RecordProperty(architecture + " warp instructions",
                                  std::to_string(kernel.counts().warp_instructions));
  }
  const StepOutcome& found = all.front();
  EXPECT_EQ(found.result.updated, 1U);
  EXPECT_NEAR(found.result.loss / static_cast<double>(samples.size()), reference.loss, 1e-5 * std::abs(reference.loss));
  for (int p = 0; p < parameters.size(); ++p)
    expect_close(found.gradients.values[p], reference.gradients.values[p], "gradient of " + parameters.info(p).name);
  Optimizer(options.optimizer, parameters).step(parameters, reference.gradients);
  for (int p = 0; p < parameters.size(); ++p)
    expect_close(found.parameters[p], parameters.values(p), parameters.info(p).name);
}

}  // namespace cavs::cuda::ptx
