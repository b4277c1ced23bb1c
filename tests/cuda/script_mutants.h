#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/persistent_step.h"
#include "script/pairs.h"

// Scripts without some of the waits between processors. If the validator says that a wait is needed, its absence must
// be reported, even if the results are right. Removing any other wait must change nothing.

namespace cavs::cuda {

/// The kernel's text, and variants that split shared entries (Share::kOutput, Share::kCollective) differently among
/// processors: each processor gets the next one's part, or parts are as small as one number. Scripts leave this split
/// to the kernel, so a wait is needed if any variant needs it.
inline std::vector<KernelSource> output_splits(const KernelSource& source) {
  const auto with = [](KernelSource changed, const std::string& from, const std::string& to) {
    for (SourceFile& file : changed.files)
      if (const std::size_t at = file.text.find(from); at != std::string::npos) {
        file.text.replace(at, from.size(), to);
        return changed;
      }
    throw std::runtime_error("the kernel's text has no " + from);
  };
  const KernelSource rotated = with(source, "kAllColumns, processor(), processors()}",
                                    "kAllColumns, (processor() + 1) % processors(), processors()}");
  return {source, rotated,
          with(rotated, "part_of(count, work.part, work.parts, 32)", "part_of(count, work.part, work.parts, 1)")};
}

/// Changes the script of a step and checks the results.
class ScriptMutants {
 public:
  /// True if a kernel with one of the splits of dealings() reports the mutant.
  using Reports = std::function<bool(const PackedStep& mutant, std::size_t dealing)>;

  /// The step and the minibatch must outlive this object.
  ScriptMutants(const PersistentStep& step, const PackedStep& minibatch, const StepOptions& options, Reports reports)
      : step_(step), minibatch_(minibatch), options_(options), reports_(std::move(reports)) {}

  /// Removes at most `most` waits in turn, spread evenly over the script. @return the number of needed waits
  int expect_waits_are_needed(std::int32_t most) const {
    const auto waits = static_cast<std::int32_t>(minibatch_.script.waits.size());
    int needed = 0;
    for (std::int32_t w = 0; w < waits; w += 1 + waits / most) {
      PackedStep mutant = minibatch_;
      mutant.script = without_wait(std::move(mutant.script), w);
      const std::vector<std::string> faults = faults_of(mutant);
      const bool is_needed = !faults.empty() && !is_of_rows_of_gradients(w);
      needed += is_needed ? 1 : 0;
      step_.pack_words(mutant, minibatch_.minibatch.samples.size(), options_);
      const bool reported = is_reported(mutant);
      if (reported || !may_touch_the_same(w)) {
        EXPECT_EQ(reported, is_needed) << "without " << describe_wait(w)
                                       << (faults.empty() ? "" : "; the validator: " + faults.front());
      }
    }
    return needed;
  }

  /// Removes the meetings around each entry that all processors execute together. Meetings around adjacent entries may
  /// replace them. @return the number of entries that need their meetings
  int expect_meetings_are_needed() const {
    int needed = 0;
    for (std::size_t e = 0; e < minibatch_.script.entries.size(); ++e) {
      PackedStep mutant = minibatch_;
      Share& share = mutant.script.entries[e].share;
      if (share != Share::kCollective) continue;
      share = Share::kOutput;
      const bool is_needed = !faults_of(mutant).empty();
      needed += is_needed ? 1 : 0;
      mutant.words[static_cast<std::size_t>(mutant.words[kEntriesWord]) + e * kEntryWords + kShareWord] = kShareOutput;
      EXPECT_EQ(is_reported(mutant), is_needed) << "without the meetings of " << describe(e);
    }
    return needed;
  }

 private:
  std::vector<std::string> faults_of(const PackedStep& mutant) const {
    return find_faults(step_.program(), step_.placement(), mutant.plan, mutant.script, 1);
  }
  bool is_reported(const PackedStep& mutant) const {
    for (std::size_t dealing = 0; dealing < 3; ++dealing)
      if (reports_(mutant, dealing)) return true;
    return false;
  }

  const ScriptEntry& entry_of(std::int32_t wait) const {
    return *std::ranges::find_if(minibatch_.script.entries, [&](const ScriptEntry& e) {
      return e.waits.begin <= wait && wait < e.waits.begin + e.waits.count;
    });
  }
  /// True if the update of a table waits for the update of a weight whose gradient reads the table's rows. On a CPU
  /// this gradient is computed by the update, but the kernel has computed it before.
  bool is_of_rows_of_gradients(std::int32_t wait) const {
    const Script& script = minibatch_.script;
    return entry_of(wait).work == Work::kUpdate && script.entries[script.waits[wait].entry].work == Work::kUpdate;
  }

  /// True if only one processor may access the data of the wait, which the validator does not know: if some processor
  /// has no part in one of the two entries, or the kernel splits the same numbers in the same way in both.
  bool may_touch_the_same(std::int32_t wait) const {
    const ScriptEntry &after = entry_of(wait), &before = minibatch_.script.entries[minibatch_.script.waits[wait].entry];
    if (!has_part_for_all(after) || !has_part_for_all(before)) return true;
    const auto is_dealt_by_number = [](const ScriptEntry& e) {
      return e.share == Share::kOutput && e.work == Work::kInstruction;
    };
    if (!is_dealt_by_number(after) || !is_dealt_by_number(before)) return false;
    return std::ranges::any_of(operands_of(before), [&](const ScriptOperand& written) {
      return written.writes && std::ranges::any_of(operands_of(after), [&](const ScriptOperand& o) {
               return o.buffer == written.buffer && o.id == written.id && o.offset == written.offset;
             });
    });
  }
  bool has_part_for_all(const ScriptEntry& e) const {
    const Script& script = minibatch_.script;
    if (e.share != Share::kColumns && e.share != Share::kRows) return true;
    const auto parts = std::span(script.parts).subspan(e.parts.begin, e.parts.count);
    return std::ranges::count_if(parts, [](const Part& part) { return part.begin < part.end; }) == script.processors;
  }
  std::vector<ScriptOperand> operands_of(const ScriptEntry& e) const {
    const Script& script = minibatch_.script;
    std::vector<ScriptOperand> all;
    for (const ScriptMember& member : std::span(script.members).subspan(e.members.begin, e.members.count))
      for (const ScriptOperand& o : std::span(script.operands).subspan(member.operands.begin, member.operands.count))
        all.push_back(o);
    return all;
  }

  std::string describe(std::size_t entry) const {
    const ScriptEntry& e = minibatch_.script.entries[entry];
    std::string text =
        fmt::format("entry {} (work {}, share {})", entry, static_cast<int>(e.work), static_cast<int>(e.share));
    if (e.work != Work::kInstruction) return text;
    const cavs::Step& step = minibatch_.plan.steps[e.step];
    const auto& code = step_.program().types[step.type].at(step.backward, step.stage);
    return text + fmt::format(", {} of stage {}", name_of(code[e.instruction]), static_cast<int>(step.stage));
  }
  std::string describe_wait(std::int32_t wait) const {
    const Script& script = minibatch_.script;
    return fmt::format("wait {}: {} waits for {}", wait,
                       describe(static_cast<std::size_t>(&entry_of(wait) - script.entries.data())),
                       describe(static_cast<std::size_t>(script.waits[wait].entry)));
  }

  const PersistentStep& step_;
  const PackedStep& minibatch_;
  const StepOptions options_;
  const Reports reports_;
};

}  // namespace cavs::cuda
