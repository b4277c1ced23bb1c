#include "execute/persistent/script_runner.h"

#include <array>
#include <span>

#include "execute/persistent/this_cpu.h"
#include "script/validate_script.h"
#include "support/check.h"

namespace cavs {
namespace {

/// Products compute whole units of a packed weight.
void check_units(const WeightPlacement& placement, const PackedWeights& weights) {
  CAVS_ASSERT(placement.target.unit_columns == cpu::kSlice);
  for (const PlacedWeight& placed : placement.weights)
    CAVS_ASSERT(placed.owner.empty() || placed.units() == weights[placed.weight].units());
}

int bytes_of(cpu::Precision precision) { return precision == cpu::Precision::kBf16 ? 2 : 4; }

}  // namespace

ScriptRunner::Processors::Processors(const DriverContext& context, int count)
    : placement(place_weights(context.program, this_cpu(count, context.weights.transposed_copies()),
                              PlacementStrategy::kGatesTogether, bytes_of(context.precision))),
      writer(context.program, placement, context.check_scripts) {
  check_units(placement, context.weights);
}

ScriptRunner::ScriptRunner(const DriverContext& context)
    : program_(context.program),
      instructions_(context.instructions),
      team_(context.team),
      check_scripts_(context.check_scripts),
      together_(context, team_.size()) {
  if (team_.size() > 1) alone_.emplace(context, 1);
}

/// Slices are about as short as a wait of a small level.
bool ScriptRunner::prepare(Execution& run, const Plan& plan, bool first) {
  constexpr std::size_t kSteps = 4;
  Processors& processors = of(run);
  if (first) processors.writer.begin(plan, run.script);
  if (processors.writer.advance(kSteps)) return true;
  const std::int64_t sums = run.script.sums * run.script.processors;
  if (sums > run.sums_capacity) {
    run.sums.reset(), run.sums_capacity = 0;  // stays so where the new one can't be had
    run.sums = cpu::aligned_floats(static_cast<std::size_t>(sums));
    run.sums_capacity = sums;
  }
  if (check_scripts_) check_script(program_, processors.placement, plan, run.script);
  return false;
}

void ScriptRunner::run(Worker& worker, Directions directions) {
  const Script& script = worker.run->script;
  const std::int32_t first = directions == Directions::kBackward ? script.backward : 0;
  if (directions != Directions::kBackward) run_entries(worker, {0, script.backward}, first);
  if (directions == Directions::kBoth && worker.number == 0) worker.run->turned = std::chrono::steady_clock::now();
  if (directions != Directions::kForward) run_entries(worker, {script.backward, script.update}, first);
}

/// @param first  the first entry since the team set out, or met
void ScriptRunner::run_entries(Worker& worker, Range<std::int32_t> entries, std::int32_t first) {
  each_entry(worker, entries, first, [&](const ScriptEntry& entry) {
    worker.enter(worker.plan().steps[entry.step], program_);
    run_entry(worker, entry);
    return true;
  });
}

void ScriptRunner::update(Worker& worker, UpdateShare& update, const std::function<bool()>& is_possible) {
  const Script& script = worker.run->script;
  const auto count = static_cast<std::int32_t>(script.entries.size());
  float scale = 1;
  each_entry(worker, {script.update, count}, script.update, [&](const ScriptEntry& entry) {
    const bool one = entry.share == Share::kOne;
    const WorkPart who{worker.number, one ? 0 : worker.number, one ? 1 : team_.size()};
    switch (entry.work) {
      case Work::kInstruction:
      case Work::kSums:
      case Work::kAddSums:
        CAVS_ASSERT(false);
        return false;
      case Work::kLoss:
        if (worker.number == 0) update.take_loss();
        return true;
      case Work::kSquares:
        update.sum_squares(who, entry.parameter);
        return true;
      case Work::kScale: {
        const std::optional<float> all = is_possible() ? update.scale() : std::nullopt;
        scale = all.value_or(0);
        return all.has_value();
      }
      case Work::kUpdate:
        update.update(who, entry.parameter, scale);
        return true;
    }
    return false;
  });
}

/// @param run  runs an entry; false: no further one, which all processors decide alike
template <typename Run>
void ScriptRunner::each_entry(Worker& worker, Range<std::int32_t> entries, std::int32_t first, Run run) {
  const Script& script = worker.run->script;
  const int self = worker.number;
  for (std::int32_t e = entries.begin; e < entries.end; ++e) {
    const ScriptEntry& entry = script.entries[e];
    if (!entry.is_of(self)) continue;
    wait(worker, entry, first);
    if (!run(entry)) return;
    if (entry.signals) team_.publish(self, e + 1);
  }
}

/// What came before `first` was done before the team set out.
void ScriptRunner::wait(Worker& worker, const ScriptEntry& entry, std::int32_t first) const {
  const Script& script = worker.run->script;
  for (std::int32_t k = entry.waits.begin; k < entry.waits.begin + entry.waits.count; ++k) {
    const Wait& w = script.waits[k];
    if (w.entry < first) continue;
    for (int other = 0; other < team_.size(); ++other)
      if (other != worker.number && (w.processor == Wait::kAll || w.processor == other))
        team_.wait_for(worker.number, other, w.entry + 1);
  }
}

void ScriptRunner::run_entry(Worker& worker, const ScriptEntry& entry) {
  const Step& step = *worker.step;
  const Instruction& instruction = worker.program->at(step.backward, step.stage)[entry.instruction];
  const int self = worker.number;
  if (entry.work != Work::kInstruction) return run_sums(worker, entry, instruction);
  switch (entry.share) {
    case Share::kOne:
      worker.number = 0, worker.workers = 1;
      instructions_.run(worker, instruction);
      worker.number = self, worker.workers = team_.size();
      return;
    case Share::kColumns:
    case Share::kRows:
      return run_parts(worker, entry, instruction);
    case Share::kOutput:
      return instructions_.run(worker, instruction);
    case Share::kTogether:
      team_.barrier(self);
      instructions_.run(worker, instruction);
      team_.barrier(self);
      return;
  }
}

void ScriptRunner::run_sums(Worker& worker, const ScriptEntry& entry, const Instruction& instruction) {
  Execution& run = *worker.run;
  std::array<const float*, kMostSumParts> sums;
  for (int p = 0; p < team_.size(); ++p) sums[p] = run.sums.get() + p * run.script.sums + entry.sums;
  for (const Part& part : std::span(run.script.parts).subspan(entry.parts.begin, entry.parts.count)) {
    if (part.processor != worker.number) continue;
    const Range<int> units{part.begin, part.end};
    if (entry.work == Work::kSums)
      instructions_.run_sums(worker, instruction, entry.rows, units, const_cast<float*>(sums[worker.number]));
    else
      instructions_.add_sums(worker, instruction, entry.rows, units,
                             std::span(sums).first(static_cast<std::size_t>(team_.size())));
  }
}

void ScriptRunner::run_parts(Worker& worker, const ScriptEntry& entry, const Instruction& instruction) {
  const auto parts = std::span(worker.run->script.parts).subspan(entry.parts.begin, entry.parts.count);
  for (const Part& part : parts) {
    if (part.processor != worker.number) continue;
    if (entry.share == Share::kColumns)
      instructions_.run_units(worker, instruction, entry.rows, {part.begin, part.end});
    else
      instructions_.run_rows(worker, instruction, {part.begin, part.end});
  }
}

}  // namespace cavs
