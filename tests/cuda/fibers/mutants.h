#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "cuda/fibers/small_gpu.h"
#include "cuda/fibers/step_on_fibers.h"
#include "cuda/outcome.h"
#include "cuda/script_mutants.h"
#include "cuda/step_case.h"

namespace cavs::cuda {

/// A case whose script is changed, on fibers: two processors of one warp.
class MutantsOnFibers {
 public:
  explicit MutantsOnFibers(const StepCase& of) : MutantsOnFibers(of, all_samples(of.zoo.graphs)) {}
  MutantsOnFibers(StepCase of, const std::vector<std::int32_t>& samples)
      : zoo_(of.zoo),
        step_(of_one_warp(of).step(few_processors(2, 1))),
        parameters_(zoo_.model.make_parameters()),
        minibatch_(step_.pack(zoo_.graphs, samples, sgd())),
        mutants_(step_, minibatch_, sgd(), [this](const PackedStep& mutant, std::size_t dealing) {
          return !faults(*kernels_[dealing], mutant).empty();
        }) {
    for (const std::string& text : dealings(step_.source()))
      kernels_.push_back(std::make_unique<KernelOnFibers>(step_, text));
    for (const auto& kernel : kernels_) EXPECT_EQ(faults(*kernel), std::vector<std::string>());
  }
  MutantsOnFibers(const MutantsOnFibers&) = delete;

  const PersistentStep& step() const { return step_; }
  const ScriptMutants& mutants() const { return mutants_; }
  /// Of the script as it is.
  std::vector<std::string> faults(const KernelOnFibers& kernel) const { return faults(kernel, minibatch_); }

 private:
  static StepCase& of_one_warp(StepCase& of) {
    of.kernel.warps = 1;
    return of;
  }
  std::vector<std::string> faults(const KernelOnFibers& kernel, const PackedStep& minibatch) const {
    std::vector<std::string> found;
    kernel.run(minibatch, *parameters_, sgd(), found);
    return found;
  }

  ZooCase zoo_;
  PersistentStep step_;
  std::shared_ptr<Parameters> parameters_;
  PackedStep minibatch_;
  ScriptMutants mutants_;
  std::vector<std::unique_ptr<KernelOnFibers>> kernels_;  // by dealing
};

}  // namespace cavs::cuda
