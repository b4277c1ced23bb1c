#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/kernel_cache.h"
#include "cuda/step_case.h"
#include "helpers/models.h"

namespace cavs::cuda {

/// A model of the zoo at small sizes, on three processors of two warps, as the tests on fibers have it.
struct CheckCase {
  std::string model;
  Precision precision;
  bool in_all_places = false;  // weights in registers, in shared memory and in the L2; else in registers

  std::string name() const {
    return model + (precision == Precision::kBf16 ? " bf16" : " fp32") + (in_all_places ? ", in all places" : "");
  }
};
/// @param small  one model, for a rehearsal on fibers
std::vector<CheckCase> check_cases(bool small);

/// Such a model with its minibatch, ready to be launched.
class CheckStep {
 public:
  explicit CheckStep(const CheckCase& check);

  const PersistentStep& step() const { return case_.step; }
  StepOutcome run(const Launcher& launch) const {
    return case_.step.run(case_.packed, *case_.parameters, case_.options, launch);
  }
  /// The largest difference of a tensor from the reference engine, relative to the tensor.
  double error(const StepOutcome& found) const;
  /// Of loss, norm, gradients and updated parameters.
  std::string bits(const StepOutcome& found) const;

 private:
  Precision precision_;
  PackedCase case_;
};

/// What is timed of a model: samples whose levels all have one vertex each, so that a level of the minibatch has as
/// many rows as there are samples.
enum class TimedData { kChains, kCombs };

/// A kernel at the size of a real model, on all processors of a GPU, compiled as Trainer does it.
struct TimedModel {
  std::string model;
  TimedData data;
  int hidden;
  Precision precision;
  bool small;           // for a rehearsal on fibers
  bool clocks = false;  // notes when entries begin and end

  std::string name() const {
    return model + " " + std::to_string(hidden) + (precision == Precision::kBf16 ? " bf16" : " fp32");
  }
  Model make() const;
  /// Of a chain: vertices. Of a comb, a binary tree whose right children are all leaves: leaves.
  GraphSet samples(int count, int length) const;
  /// As training has them: chains of 64, random trees.
  GraphSet epoch(int count) const;
  int warps() const { return small ? PersistentStep::kSmallBlocks.warps : KernelOptions().warps; }
};
std::vector<TimedModel> timed_models(bool small);
/// Those of which it is measured where a step's time goes.
std::vector<TimedModel> profiled_models(bool small);

/// The kernel for the program as a session makes it: those with stack or spills are thrown away.
struct LeanKernel {
  PersistentStep step;
  Cubin cubin;
};
LeanKernel lean_kernel(const TimedModel& timed, KernelCompiler& compiler, int compute, int processors);

Cubin compile(const PersistentStep& step, KernelCompiler& compiler, int compute);

}  // namespace cavs::cuda
