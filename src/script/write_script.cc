#include "script/write_script.h"

#include <algorithm>
#include <span>
#include <utility>

#include "script/operands.h"
#include "support/check.h"
#include "support/split_range.h"

namespace cavs::inline v0_1 {
namespace {

constexpr double kUpdateFlops = 4;  // per element; half of these operations are for the square of the gradient

}  // namespace

ScriptWriter::ScriptWriter(const Program& program, const WeightPlacement& placement,
                           const std::optional<LaunchedChunks>& launched)
    : program_(program),
      placement_(placement),
      launched_(launched),
      resource_table_(program, placement.target.processors),
      code_(program.types.size()) {
  for (const PlacedWeight& weight : placement_.weights) placed_.push_back(own_units(weight.units()));
  for (std::size_t t = 0; t < code_.size(); ++t)
    each_code(program_.types[t], [&](const cavs::Code& code, bool backward, Stage stage) {
      for (const Instruction& i : code)
        code_[t][backward][static_cast<std::size_t>(stage)].push_back(prepare(static_cast<std::int32_t>(t), stage, i));
    });
  std::vector<std::vector<ResourceAccess>*> resource_accesses;
  for (auto& type : code_)
    for (auto& direction : type)
      for (Code& code : direction)
        for (Prepared& p : code) resource_accesses.push_back(&p.resource_accesses);
  resource_table_.merge(resource_accesses);
  prepare_update();
  if (launched_ && !sums_in_tasks()) chunks_.emplace(program_, launched_->chunk_flops);
}

bool ScriptWriter::sums_in_tasks() const {
  return std::ranges::any_of(code_, [](const auto& type) {
    return std::ranges::any_of(type[true][static_cast<std::size_t>(Stage::kTask)],
                               [](const Prepared& p) { return p.accesses.gradient >= 0; });
  });
}

ScriptWriter::Prepared ScriptWriter::prepare(std::int32_t type, Stage stage, const Instruction& instruction) {
  Prepared p;
  p.accesses = accesses_of(program_, program_.types[type], instruction, stage == Stage::kTask, placement_);
  if (p.accesses.placed != nullptr)
    p.columns = placed_[p.accesses.placed - placement_.weights.data()];
  else if (p.accesses.units > 0)
    p.columns = own_units(p.accesses.units);
  p.resource_accesses = resource_table_.of(type, stage, p.accesses.members, p.columns.begin);
  each_instruction(std::span(&instruction, 1), [&](const Instruction& i) {
    const auto it = std::ranges::find(p.flops, i.domain, &std::pair<DomainId, double>::first);
    if (it == p.flops.end())
      p.flops.emplace_back(i.domain, i.flops_per_row);
    else
      it->second += i.flops_per_row;
  });
  return p;
}

/// Prepares the update's entries. A parameter on which the gradient of p depends is updated after p.
void ScriptWriter::prepare_update() {
  const auto parameters = static_cast<std::int32_t>(program_.parameters.size());
  std::vector<std::vector<std::int32_t>> made_of(program_.parameters.size());  // parameters that a gradient needs
  std::vector<char> is_source(program_.parameters.size());
  for (const auto& of_type : code_)
    for (const Code& code : of_type[true])
      for (const Prepared& instruction : code)
        for (const MemberAccesses& member : instruction.accesses.members)
          for (const Access& access : member.accesses)
            if (instruction.accesses.gradient >= 0 && access.operand.kind == StorageKind::kParameter) {
              made_of[instruction.accesses.gradient].push_back(access.operand.id);
              is_source[access.operand.id] = 1;
            }
  std::vector<std::int32_t> order;
  for (const char source : {0, 1})
    for (std::int32_t p = 0; p < parameters; ++p)
      if (is_source[p] == source) order.push_back(p);
  const auto use = [this](Buffer buffer, std::int32_t parameter, bool writes) {
    update_.back().operands.push_back({.buffer = buffer, .writes = writes, .all = true, .id = parameter});
    update_.back().uses.push_back({.resource = resource_table_.of(buffer, parameter), .writes = writes});
  };
  const auto begin = [this](Work work, std::int32_t parameter) { update_.push_back({work, parameter, {}, {}}); };
  begin(Work::kLoss, -1);
  use(Buffer::kLoss, 0, true);
  for (const std::int32_t p : order) {
    begin(Work::kSquares, p);
    use(Buffer::kGradient, p, false);
    use(Buffer::kSquares, p, true);
  }
  begin(Work::kScale, -1);
  use(Buffer::kLoss, 0, false);
  for (const std::int32_t p : order) use(Buffer::kSquares, p, false);
  for (const std::int32_t p : order) {
    begin(Work::kUpdate, p);
    use(Buffer::kGradient, p, false);
    for (const std::int32_t source : made_of[p]) use(Buffer::kParameter, source, false);
    use(Buffer::kParameter, p, true);
  }
}

/// Finds the uses of all instructions if `one_parent` has changed since the last plan; other inputs of the uses do not
/// change between minibatches. After an exception (out of memory), the next minibatch finds them again.
void ScriptWriter::find_uses(const std::vector<char>& one_parent) {
  if (one_parent_ == one_parent) return;
  one_parent_.reset();
  for (auto& of_type : code_)
    for (auto& direction : of_type)
      for (Code& code : direction)
        for (Prepared& p : code) p.uses = resource_table_.uses(p.resource_accesses, one_parent);
  one_parent_ = one_parent;
}

/// Returns a range in ownerships_ that gives every processor a range of neighbouring units.
Slice ScriptWriter::own_units(std::int32_t units) {
  if (units_.size() <= static_cast<std::size_t>(units)) units_.resize(static_cast<std::size_t>(units) + 1);
  Slice& slice = units_[static_cast<std::size_t>(units)];
  if (slice.count > 0) return slice;
  slice.begin = static_cast<std::int32_t>(ownerships_.size());
  for (std::int32_t p = 0; p < placement_.target.processors; ++p) {
    const auto [begin, end] = split_range(0, units, p, placement_.target.processors);
    if (begin < end) ownerships_.push_back({p, begin, end});
  }
  slice.count = static_cast<std::int32_t>(ownerships_.size()) - slice.begin;
  return slice;
}

void ScriptWriter::begin(const Plan& plan, const StepShares& shares, Script& script) {
  plan_ = &plan;
  shares_ = &shares;
  script_ = &script;
  step_ = 0;
  script.processors = placement_.target.processors;
  script.unit = placement_.target.unit_columns;
  if (chunks_) begin_chunks(plan, script);
  script.backward = -1;
  script.entries.clear();
  script.waits.clear();
  script.members.clear();
  script.operands.clear();
  script.parts = ownerships_;
  script.load.assign(static_cast<std::size_t>(script.processors), 0);
  summed_.assign(program_.parameters.size(), 0);
  hazards_.begin(resource_table_.resources(), script.processors);
  if (script.processors > 1 && !launched_) find_uses(plan.one_parent);
}

void ScriptWriter::begin_chunks(const Plan& plan, Script& script) {
  const double flops = chunks_->begin(plan);
  const bool is_worth_it = flops >= launched_->chunk_flops && launched_->streaming == Streaming::kAuto;
  if (is_worth_it || launched_->streaming == Streaming::kOn) script.processors = 2;
  last_of_ = {-1, -1};
  last_of_forward_ = waited_ = branch_waited_ = -1;
}

bool ScriptWriter::advance(std::size_t steps) {
  Script& script = *script_;
  const std::size_t end = std::min(step_ + steps, plan_->steps.size());
  for (; step_ < end; ++step_) {
    const Step& step = plan_->steps[step_];
    const StepShare& workers = (*shares_)[step_];
    const auto next = static_cast<std::int32_t>(script.entries.size());
    if (step.backward && script.backward < 0) script.backward = next;
    const bool begins = step_ == 0 || step.backward != plan_->steps[step_ - 1].backward;
    if (begins || workers.waits || !workers.one_worker() || !(*shares_)[step_ - 1].one_worker())
      hazards_.begin_section(next);
    const cavs::Code& code = program_.types[step.type].at(step.backward, step.stage);
    const Code& prepared = code_[step.type][step.backward][static_cast<std::size_t>(step.stage)];
    for (std::size_t k = 0; k < code.size(); ++k)
      write_entry(step, workers, code[k], prepared[k],
                  chunks_ ? chunks_->rest(step, static_cast<std::int32_t>(k)) : plan_->range(step, code[k].domain));
    if (chunks_)
      for (const LazyChunk& chunk : chunks_->after(static_cast<std::int32_t>(step_))) write_chunk(chunk);
  }
  if (end < plan_->steps.size()) return true;
  script.update = static_cast<std::int32_t>(script.entries.size());
  if (script.backward < 0)
    script.backward = script.update;
  else
    write_update();
  for (const Wait& wait : script.waits) script.entries[wait.entry].signals = true;
  return false;
}

void ScriptWriter::write_chunk(const LazyChunk& chunk) {
  const Step& step = plan_->steps[chunk.step];
  const auto instruction = static_cast<std::size_t>(chunk.instruction);
  write_entry(step, (*shares_)[chunk.step], program_.types[step.type].at(step.backward, step.stage)[instruction],
              code_[step.type][step.backward][static_cast<std::size_t>(step.stage)][instruction], chunk.rows);
}

/// Writes the update. At its start all processors meet, so all gradients are ready. They wait for each other only for
/// the norm and the check for finite numbers, and where a gradient depends on parameters that are then updated.
void ScriptWriter::write_update() {
  hazards_.meet(script_->update - 1);
  for (const UpdateEntry& update : update_) write_update(update);
}

void ScriptWriter::write_update(const UpdateEntry& update) {
  const std::int32_t p = update.parameter;
  const std::int64_t changed = p >= 0 ? elements(p) : 0;
  ScriptEntry entry;
  entry.work = update.work;
  entry.share = Share::kOutput;
  entry.parameter = p;
  // With momentum, all rows of a table change, even if few rows have a gradient. So tables are never small.
  const bool is_small = p >= 0 && !program_.parameters[p].table && changed < kWorthSharing;
  if (launched_) {
    entry.share = Share::kOne;
  } else if (is_small) {  // goes to the processor with the least load
    entry.share = Share::kOne;
    entry.processor = static_cast<std::int32_t>(std::ranges::min_element(script_->load) - script_->load.begin());
  }
  const auto first = static_cast<std::int32_t>(script_->operands.size());
  script_->operands.insert(script_->operands.end(), update.operands.begin(), update.operands.end());
  entry.members = {static_cast<std::int32_t>(script_->members.size()), 1};
  script_->members.push_back({.operands = {first, static_cast<std::int32_t>(update.operands.size())}});
  write_waits(update.uses, false, entry);
  if (p >= 0) add_load(kUpdateFlops * static_cast<double>(changed), entry);
  script_->entries.push_back(entry);
}

/// Returns the number of elements that an update changes. In a table, only rows with a gradient count.
std::int64_t ScriptWriter::elements(std::int32_t parameter) const {
  const ParameterInfo& info = program_.parameters[parameter];
  return info.table ? std::int64_t{plan_->touched[parameter].count} * info.shape.dims[1] : info.shape.size();
}

void ScriptWriter::write_entry(const Step& step, const StepShare& workers, const Instruction& instruction,
                               const Prepared& prepared, RowRange rows) {
  const InstructionAccesses& accesses = prepared.accesses;
  const cavs::Code& code = program_.types[step.type].at(step.backward, step.stage);
  ScriptEntry entry;
  entry.step = static_cast<std::int32_t>(&step - plan_->steps.data());
  entry.instruction = static_cast<std::int32_t>(&instruction - code.data());
  entry.rows = rows;
  const bool is_kept = launched_ && step.stage == Stage::kTask;
  if (entry.rows.begin == entry.rows.end && !accesses.is_sum && !is_kept) return;
  const bool is_streamed = accesses.gradient >= 0 || rows != plan_->range(step, instruction.domain);
  if (workers.one_worker()) {
    entry.share = Share::kOne;
    entry.processor = launched_ && script_->processors > 1 && is_streamed ? 1 : workers.worker;
  } else
    share(step, instruction, prepared, entry);
  if (accesses.gradient >= 0) entry.adds = std::exchange(summed_[accesses.gradient], 1) != 0;
  write_members(step, accesses, entry);
  write_waits(prepared.uses, workers.one_worker(), entry);
  double flops = 0;
  for (const auto& [domain, of_row] : prepared.flops) {
    const RowRange own = domain == instruction.domain ? rows : plan_->range(step, domain);
    flops += of_row * (own.end - own.begin);
  }
  add_load(flops, entry);
  script_->entries.push_back(entry);
}

/// Adds the wait of an entry in a script with a branch (LaunchedChunks). An entry of the branch waits for all tasks
/// before it. Tasks need no waits, because no value is written twice, and no task reads results of the branch. Work
/// after the tasks of F waits for F's part of the branch. Both processors meet before the update.
void ScriptWriter::wait_for_tasks(ScriptEntry& entry) {
  if (!entry.is_of_step()) return;
  const auto number = static_cast<std::int32_t>(script_->entries.size());
  const auto wait = [&](std::int32_t processor, std::int32_t for_entry, std::int32_t& waited) {
    if (for_entry <= waited) return;
    script_->waits.push_back({processor, for_entry});
    entry.waits.count = 1;
    waited = for_entry;
  };
  const Step& step = plan_->steps[entry.step];
  if (entry.processor != 0)
    wait(0, last_of_[0], branch_waited_);
  else if (step.backward || step.stage == Stage::kLazy)
    wait(1, last_of_forward_, waited_);
  last_of_[entry.processor] = number;
  if (!step.backward) last_of_forward_ = last_of_[1];
}

/// Writes the waits of the next entry. @param side_by_side  see Hazards::add
void ScriptWriter::write_waits(std::span<const Hazards::Use> uses, bool side_by_side, ScriptEntry& entry) {
  const auto number = static_cast<std::int32_t>(script_->entries.size());
  entry.waits.begin = static_cast<std::int32_t>(script_->waits.size());
  if (script_->processors == 1) return;
  if (launched_) return wait_for_tasks(entry);
  const bool all_meet = entry.share == Share::kCollective;
  if (all_meet) hazards_.meet(number - 1);
  hazards_.add(entry, number, side_by_side, uses, script_->waits);
  if (all_meet) hazards_.meet(number);
  entry.waits.count = static_cast<std::int32_t>(script_->waits.size()) - entry.waits.begin;
}

void ScriptWriter::write_members(const Step& step, const InstructionAccesses& accesses, ScriptEntry& entry) {
  entry.members.begin = static_cast<std::int32_t>(script_->members.size());
  for (const MemberAccesses& member : accesses.members) {
    ScriptMember m{.by_edge = member.by_edge && !accesses.by_edge, .operands = {}};
    m.operands.begin = static_cast<std::int32_t>(script_->operands.size());
    if (!is_view_of_gradients(step, member))
      for (const Access& access : member.accesses)
        script_->operands.push_back(operand_of(program_, *plan_, step, access));
    m.operands.count = static_cast<std::int32_t>(script_->operands.size()) - m.operands.begin;
    script_->members.push_back(m);
  }
  entry.members.count = static_cast<std::int32_t>(script_->members.size()) - entry.members.begin;
}

/// True for a gather of gradients whose readers use the parents' memory in place. Such a gather does no work.
bool ScriptWriter::is_view_of_gradients(const Step& step, const MemberAccesses& member) const {
  if (member.accesses.empty()) return false;
  const Access& last = member.accesses.back();
  return last.writes && last.operand.kind == StorageKind::kTensor &&
         plan_->is_view(program_.types[step.type].tensors[last.operand.id]);
}

void ScriptWriter::add_load(double flops, const ScriptEntry& entry) {
  if (entry.share == Share::kOne) {
    script_->load[entry.processor] += flops;
    return;
  }
  if (entry.parts.count == 0)
    for (double& load : script_->load) load += flops / script_->processors;
  double all = 0;
  const auto parts = part_of(script_->parts, entry.parts);
  for (const Part& part : parts) all += part.end - part.begin;
  for (const Part& part : parts) script_->load[part.processor] += flops * (part.end - part.begin) / all;
}

}  // namespace cavs::inline v0_1
