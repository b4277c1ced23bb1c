#pragma once

#include <gtest/gtest.h>

#include "cuda/ptx/fault.h"
#include "cuda/ptx/zoo.h"
#include "cuda/script_mutants.h"

namespace cavs::cuda::ptx {

/// A case whose script is changed, in the interpreter of PTX.
class MutantsInPtx {
 public:
  explicit MutantsInPtx(const StepCase& of)
      : zoo_(of.zoo),
        step_(of.step(few_processors(3))),
        parameters_(zoo_.model.make_parameters()),
        options_(sgd(1)),
        minibatch_(step_.pack(zoo_.graphs, all_samples(zoo_.graphs), options_)),
        mutants_(step_, minibatch_, options_,
                 [this](const auto& mutant, auto dealing) { return reports(mutant, dealing); }) {
    for (const std::string& text : dealings(step_.source())) kernels_.emplace_back(text, "compute_90");
    expected_ = kernels_.front().run(step_, minibatch_, *parameters_, options_);
  }
  MutantsInPtx(const MutantsInPtx&) = delete;

  const ScriptMutants& mutants() const { return mutants_; }

  /// That before the backward pass separates clearing gradients from adding to them: where waits of ∂F come after what
  /// each processor has cleared, they order that, too, and then nothing may change. Meetings of the text are removed
  /// elsewhere (removed_barriers.h).
  void expect_first_meeting_changes_nothing_unseen() {
    PackedStep mutant = minibatch_;
    mutant.words[kBackwardWord] = -1;
    reports(mutant, 0);
  }

 private:
  /// What is not reported has the bits of the script that was not changed.
  bool reports(const PackedStep& mutant, std::size_t dealing) {
    try {
      expect_same_bits(kernels_[dealing].run(step_, mutant, *parameters_, options_), expected_, *parameters_);
      return false;
    } catch (const Fault& fault) {
      EXPECT_TRUE(fault.kind() == FaultKind::kRace || fault.kind() == FaultKind::kUnwrittenMemory) << fault.what();
      return true;
    }
  }

  ZooCase zoo_;
  PersistentStep step_;
  std::shared_ptr<Parameters> parameters_;
  StepOptions options_;
  PackedStep minibatch_;
  ScriptMutants mutants_;
  std::vector<KernelInPtx> kernels_;  // by dealing
  StepOutcome expected_;
};

}  // namespace cavs::cuda::ptx
