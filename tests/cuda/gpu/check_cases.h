#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/kernel_cache.h"
#include "cuda/step_case.h"
#include "helpers/models.h"

namespace cavs::cuda {

/// A small model of the zoo on three processors of two warps, as in the tests on fibers.
struct CheckCase {
  std::string model;
  Precision precision;
  // keeps weights in registers, in shared memory and in the L2 cache, otherwise only in registers
  bool in_all_places = false;

  std::string name() const {
    return model + (precision == Precision::kBf16 ? " bf16" : " fp32") + (in_all_places ? ", in all places" : "");
  }
};
/// @param small  one model only, for a rehearsal on fibers
std::vector<CheckCase> check_cases(bool small);

/// A case with its minibatch, ready to launch.
class CheckStep {
 public:
  explicit CheckStep(const CheckCase& check);

  const PersistentStep& step() const { return case_.step; }
  StepOutcome run(const Launcher& launch) const {
    return case_.step.run(case_.packed, *case_.parameters, case_.options, launch);
  }
  /// The largest difference of a tensor from the reference engine, relative to the tensor.
  double error(const StepOutcome& found) const;
  /// Text of the bits of loss, norm, gradients and updated parameters.
  std::string bits(const StepOutcome& found) const;

 private:
  Precision precision_;
  PackedCase case_;
};

/// Data of timed models. Each level of a sample has one vertex, so a level of the minibatch has as many rows as there
/// are samples.
enum class TimedData { kChains, kCombs };

/// A kernel for a model of real size, on all processors of a GPU, compiled as by Trainer.
struct TimedModel {
  std::string model;
  TimedData data;
  int hidden;
  Precision precision;
  bool small;           // for a rehearsal on fibers
  bool clocks = false;  // records when entries begin and end

  std::string name() const {
    return model + " " + std::to_string(hidden) + (precision == Precision::kBf16 ? " bf16" : " fp32");
  }
  Model make() const;
  /// @param length  vertices of a chain, or leaves of a comb: a binary tree whose right children are leaves
  GraphSet samples(int count, int length) const;
  /// Samples as in training: chains of 64 words, or random trees.
  GraphSet epoch(int count) const;
  int warps() const { return small ? PersistentStep::kSmallBlocks.warps : KernelOptions().warps; }
};
std::vector<TimedModel> timed_models(bool small);
/// Models for which the time of a step is broken down.
std::vector<TimedModel> profiled_models(bool small);

/// The kernel as a session compiles it: kernels with stack or spills are discarded.
struct LeanKernel {
  PersistentStep step;
  Cubin cubin;
};
LeanKernel lean_kernel(const TimedModel& timed, KernelCompiler& compiler, int compute, int processors);

Cubin compile(const PersistentStep& step, KernelCompiler& compiler, int compute);

}  // namespace cavs::cuda
