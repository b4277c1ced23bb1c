#pragma once

#include <optional>

#include "execute/batched/step_driver.h"
#include "placement/placement.h"
#include "script/write_script.h"

namespace cavs {

/// Takes the workers through a script: every weight of the tasks has an owner for each of its columns, the same for all
/// minibatches, so that it stays in that core's cache; and a worker waits for those alone whose results it needs.
class ScriptRunner final : public StepDriver {
 public:
  explicit ScriptRunner(const DriverContext& context);

  bool prepare(Execution& run, const Plan& plan, bool first) override;
  void run(Worker& worker, Directions directions) override;
  void update(Worker& worker, UpdateShare& update, const std::function<bool()>& is_possible) override;
  bool streams() const override { return false; }
  const WeightPlacement* placement() const override { return &together_.placement; }

 private:
  /// What scripts are made for: the team, or its caller.
  struct Processors {
    Processors(const DriverContext& context, int count);
    const WeightPlacement placement;
    ScriptWriter writer;
  };
  Processors& of(const Execution& run) { return run.is_alone ? *alone_ : together_; }

  template <typename Run>
  void each_entry(Worker& worker, Range<std::int32_t> entries, std::int32_t first, Run run);
  void run_entries(Worker& worker, Range<std::int32_t> entries, std::int32_t first);
  void wait(Worker& worker, const ScriptEntry& entry, std::int32_t first) const;
  void run_entry(Worker& worker, const ScriptEntry& entry);
  void run_parts(Worker& worker, const ScriptEntry& entry, const Instruction& instruction);
  void run_sums(Worker& worker, const ScriptEntry& entry, const Instruction& instruction);

  const Program& program_;
  InstructionRunner& instructions_;
  Team& team_;
  const bool check_scripts_;
  Processors together_;
  std::optional<Processors> alone_;
};

}  // namespace cavs
