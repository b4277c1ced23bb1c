#pragma once

#include <gtest/gtest.h>

#include "cuda/fibers/small_gpu.h"
#include "cuda/fibers/step_on_fibers.h"
#include "cuda/outcome.h"
#include "cuda/ptx/step_on_ptx.h"
#include "cuda/step_case.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda::ptx {

/// Runs the PTX of a model for these architectures. Compares loss, gradients and updated parameters with the reference
/// engine, and expects them bit-identical to the results of the same source on fibers (emulated CUDA threads).
inline void expect_right_numbers(const StepCase& of, const std::vector<std::string>& architectures,
                                 const OnChipTarget& gpu, Precision precision = Precision::kFp32) {
  StepCase precise = of;
  precise.kernel.precision = precision;
  const ZooCase& zoo = of.zoo;
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  Parameters& parameters = *bench.parameters;
  const KernelOnFibers fibers(precise.step(gpu));
  StepOptions options = sgd();
  const PackedStep minibatch = fibers.step().pack(zoo.graphs, samples, options);
  const StepOutcome expected = fibers.run(minibatch, parameters, options);
  for (const std::string& architecture : architectures) {
    SCOPED_TRACE(architecture);
    KernelInPtx kernel(fibers.step().source(), architecture);
    ++options.order;
    expect_same_bits(kernel.run(fibers.step(), minibatch, parameters, options), expected, parameters);
    testing::Test::RecordProperty(architecture + " warp instructions",
                                  std::to_string(kernel.counts().warp_instructions));
  }
  expect_numbers_of_reference(expected, reference, samples.size(), options, precision, parameters);
}

inline void expect_right_numbers(const StepCase& of, const std::vector<std::string>& architectures,
                                 Precision precision = Precision::kFp32) {
  expect_right_numbers(of, architectures, few_processors(3), precision);
}

}  // namespace cavs::cuda::ptx
