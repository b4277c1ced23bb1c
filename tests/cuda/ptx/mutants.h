#pragma once

#include <gtest/gtest.h>

#include "cuda/ptx/fault.h"
#include "cuda/ptx/zoo.h"
#include "cuda/script_mutants.h"

namespace cavs::cuda::ptx {

/// Runs a case with changed scripts (mutants) in the PTX interpreter.
class MutantsInPtx {
 public:
  explicit MutantsInPtx(const StepCase& of)
      : case_(of, few_processors(3), sgd(1)),
        mutants_(case_.step, case_.packed, case_.options,
                 [this](const auto& mutant, auto dealing) { return reports(mutant, dealing); }) {
    for (const KernelSource& source : output_splits(case_.step.source())) kernels_.emplace_back(source, "compute_90");
    expected_ = kernels_.front().run(case_.step, case_.packed, *case_.parameters, case_.options);
  }
  MutantsInPtx(const MutantsInPtx&) = delete;

  const ScriptMutants& mutants() const { return mutants_; }

  /// Removes the meeting (barrier of all processors) before the backward pass, which orders clearing gradients before
  /// adding to them. If waits of ∂F order these anyway, the results must not change.
  void expect_first_meeting_changes_nothing_unseen() {
    PackedStep mutant = case_.packed;
    mutant.words[kBackwardWord] = -1;
    reports(mutant, 0);
  }

 private:
  /// True if the interpreter reports a fault of the mutant. Otherwise expects results that are bit-identical to those
  /// of the original script.
  bool reports(const PackedStep& mutant, std::size_t dealing) {
    try {
      expect_same_bits(kernels_[dealing].run(case_.step, mutant, *case_.parameters, case_.options), expected_,
                       *case_.parameters);
      return false;
    } catch (const Fault& fault) {
      EXPECT_TRUE(fault.kind() == FaultKind::kRace || fault.kind() == FaultKind::kUnwrittenMemory) << fault.what();
      return true;
    }
  }

  PackedCase case_;
  ScriptMutants mutants_;
  std::vector<KernelInPtx> kernels_;  // [output_splits()]
  StepOutcome expected_;
};

}  // namespace cavs::cuda::ptx
