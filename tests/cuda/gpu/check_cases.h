#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/kernel_cache.h"
#include "cuda/persistent_step.h"
#include "helpers/models.h"

namespace cavs::cuda {

/// A model of the zoo at small sizes, on three processors of two warps, as the tests on fibers have it.
struct CheckCase {
  std::string model;
  Precision precision;

  std::string name() const { return model + (precision == Precision::kBf16 ? " bf16" : " fp32"); }
};
std::vector<CheckCase> check_cases();

/// Such a model with its minibatch, ready to be launched.
class CheckStep {
 public:
  explicit CheckStep(const CheckCase& check);

  const PersistentStep& step() const { return step_; }
  StepOutcome run(const Launcher& launch) const { return step_.run(minibatch_, *parameters_, options_, launch); }
  /// The largest difference of a tensor from the reference engine, relative to the tensor.
  double error(const StepOutcome& found) const;
  /// Of loss, norm, gradients and updated parameters.
  std::string bits(const StepOutcome& found) const;

 private:
  Precision precision_;
  ZooCase zoo_;
  PersistentStep step_;
  std::shared_ptr<Parameters> parameters_;
  StepOptions options_;
  PackedStep minibatch_;
};

/// A kernel at the size of a real model, on all processors of a GPU.
struct TimedModel {
  std::string model, data;  // data: with {} for the number of samples
  int hidden;
  Precision precision;
  std::string name() const {
    return model + " " + std::to_string(hidden) + (precision == Precision::kBf16 ? " bf16" : " fp32");
  }
  Model make() const;
};
std::vector<TimedModel> timed_models();

/// The kernel for the program as a session makes it: those with stack or spills are thrown away.
struct LeanKernel {
  PersistentStep step;
  Cubin cubin;
};
LeanKernel lean_kernel(const TimedModel& timed, KernelCompiler& compiler, int compute, int processors, int warps);

Cubin compile(const PersistentStep& step, KernelCompiler& compiler, int compute);

}  // namespace cavs::cuda
