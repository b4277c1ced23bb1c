#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "cuda/fibers/small_gpu.h"
#include "cuda/fibers/step_on_fibers.h"
#include "cuda/outcome.h"
#include "cuda/script_mutants.h"
#include "cuda/step_case.h"

namespace cavs::cuda {

/// Runs a case with changed scripts (mutants) on fibers (emulated CUDA threads), as two processors of one warp each.
class MutantsOnFibers {
 public:
  explicit MutantsOnFibers(const StepCase& of) : MutantsOnFibers(of, all_samples(of.zoo.graphs)) {}
  MutantsOnFibers(StepCase of, const std::vector<std::int32_t>& samples)
      : case_(of_one_warp(of), few_processors(2, 1), sgd(), samples),
        mutants_(case_.step, case_.packed, case_.options, [this](const PackedStep& mutant, std::size_t dealing) {
          return !faults(*kernels_[dealing], mutant).empty();
        }) {
    for (const KernelSource& source : output_splits(case_.step.source()))
      kernels_.push_back(std::make_unique<KernelOnFibers>(case_.step, source));
    for (const auto& kernel : kernels_) EXPECT_EQ(faults(*kernel), std::vector<std::string>());
  }
  MutantsOnFibers(const MutantsOnFibers&) = delete;

  const PersistentStep& step() const { return case_.step; }
  const ScriptMutants& mutants() const { return mutants_; }
  /// Returns the faults of the unchanged script.
  std::vector<std::string> faults(const KernelOnFibers& kernel) const { return faults(kernel, case_.packed); }

 private:
  static StepCase& of_one_warp(StepCase& of) {
    of.kernel.warps = 1;
    return of;
  }
  std::vector<std::string> faults(const KernelOnFibers& kernel, const PackedStep& minibatch) const {
    std::vector<std::string> found;
    kernel.run(minibatch, *case_.parameters, case_.options, found);
    return found;
  }

  PackedCase case_;
  ScriptMutants mutants_;
  std::vector<std::unique_ptr<KernelOnFibers>> kernels_;  // [output_splits()]
};

}  // namespace cavs::cuda
