#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cuda/ptx/fault.h"
#include "cuda/ptx/zoo.h"
#include "script/validate_script.h"

namespace cavs::cuda::ptx {

/// A model's script without what makes processors wait for each other: the interpreter must report what is then not
/// ordered, whether or not the numbers come out right.
class MutableKernel {
 public:
  explicit MutableKernel(const StepCase& of)
      : zoo_(of.zoo),
        step_(of.step(few_processors(3, false))),
        parameters_(zoo_.model.make_parameters()),
        kernel_(step_.source(), "compute_90"),
        options_(sgd(1)),
        minibatch_(step_.pack(zoo_.graphs, all_samples(zoo_.graphs), options_)),
        expected_(kernel_.run(step_, minibatch_, *parameters_, options_)) {}

  /// Each `stride`-th wait in turn is removed. What the validator of scripts says is needed must be reported; the rest
  /// must change nothing. The validator lets executors deal what is shared by output as they like; where the kernel
  /// happens to deal the same numbers to the same processor in both entries, nothing may change, either.
  void expect_waits_are_needed(std::int32_t stride) {
    const auto waits = static_cast<std::int32_t>(minibatch_.script.waits.size());
    int needed = 0;
    for (std::int32_t w = 0; w < waits; w += stride) {
      PackedStep mutant = minibatch_;
      remove_wait(mutant.script, w);
      const bool is_needed = is_faulty(mutant);
      needed += is_needed ? 1 : 0;
      step_.pack_words(mutant, static_cast<std::size_t>(zoo_.graphs.size()), options_);
      const Needed expected = !is_needed ? Needed::kNo : is_dealt_freely(w) ? Needed::kPerhaps : Needed::kYes;
      expect(mutant, expected, "wait " + std::to_string(w));
    }
    EXPECT_GT(reported_, needed / 2);
    testing::Test::RecordProperty("waits reported", reported_);
    testing::Test::RecordProperty("waits that the validator needs", needed);
  }

  /// Meetings around entries that all processors do together: those that the validator of scripts says are needed must
  /// be reported, the rest, which meetings around the entries beside them make up for, must change nothing. That before
  /// the backward pass separates clearing gradients from adding to them: where waits of ∂F come after what each
  /// processor has cleared, they order that, too, and then nothing may change. Meetings of the text are removed elsewhere
  /// (removed_barriers.h).
  /// @return how many entries need theirs
  int expect_meetings_are_needed() {
    int needed = 0;
    PackedStep mutant = minibatch_;
    mutant.words[kBackwardWord] = -1;
    expect(mutant, Needed::kPerhaps, "the meeting before the backward pass");
    for (std::size_t e = 0; e < minibatch_.script.entries.size(); ++e) {
      mutant = minibatch_;
      Share& share = mutant.script.entries[e].share;
      if (share != Share::kTogether) continue;
      share = Share::kOutput;
      const bool is_needed = is_faulty(mutant);
      needed += is_needed ? 1 : 0;
      const std::size_t entry = static_cast<std::size_t>(mutant.words[kEntriesWord]) + e * kEntryWords;
      mutant.words[entry + kShareWord] = kShareOutput;
      expect(mutant, is_needed ? Needed::kYes : Needed::kNo, "the meetings of entry " + std::to_string(e));
    }
    return needed;
  }

 private:
  enum class Needed { kYes, kNo, kPerhaps };

  static void remove_wait(Script& script, std::int32_t wait) {
    for (ScriptEntry& e : script.entries) {
      if (e.waits.begin <= wait && wait < e.waits.begin + e.waits.count) --e.waits.count;
      if (e.waits.begin > wait) --e.waits.begin;
    }
    script.waits.erase(script.waits.begin() + wait);
  }

  bool is_faulty(const PackedStep& mutant) const {
    return !find_faults(step_.program(), step_.placement(), mutant.plan, mutant.script, 1).empty();
  }

  /// Whether the wait is of an entry, or for one, whose parts the executor chooses.
  bool is_dealt_freely(std::int32_t wait) const {
    const auto chooses = [](const ScriptEntry& e) { return e.share == Share::kOutput || e.share == Share::kTogether; };
    const Script& script = minibatch_.script;
    return chooses(script.entries[script.waits[wait].entry]) ||
           std::ranges::any_of(script.entries, [&](const ScriptEntry& e) {
             return e.waits.begin <= wait && wait < e.waits.begin + e.waits.count && chooses(e);
           });
  }

  void expect(const PackedStep& mutant, Needed needed, const std::string& what) {
    SCOPED_TRACE(what + " removed");
    try {
      const StepOutcome found = kernel_.run(step_, mutant, *parameters_, options_);
      EXPECT_NE(needed, Needed::kYes) << "is not reported";
      expect_same_bits(found, expected_, *parameters_);
    } catch (const Fault& fault) {
      EXPECT_NE(needed, Needed::kNo) << fault.what();
      ++reported_;
      EXPECT_TRUE(fault.kind() == FaultKind::kRace || fault.kind() == FaultKind::kUnwrittenMemory) << fault.what();
    }
  }

  ZooCase zoo_;
  PersistentStep step_;
  std::shared_ptr<Parameters> parameters_;
  KernelInPtx kernel_;
  StepOptions options_;
  PackedStep minibatch_;
  StepOutcome expected_;
  int reported_ = 0;
};

}  // namespace cavs::cuda::ptx
