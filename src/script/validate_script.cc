#include "script/validate_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "cavs/error.h"
#include "script/processor_accesses.h"
#include "script/shadow.h"

namespace cavs::inline v0_1 {
namespace {

class Validation {
 public:
  Validation(const Program& program, const WeightPlacement& placement, const Plan& plan, const Script& script,
             std::size_t most)
      : program_(program),
        placement_(placement),
        plan_(plan),
        script_(script),
        most_(most),
        clocks_(script.processors),
        arena_(plan.arena, script.processors),
        gradients_(static_cast<std::int64_t>(program.parameters.size()), script.processors),
        squares_(gradients_),
        values_(gradients_),
        loss_(1, script.processors),
        then_(script.entries.size()) {}

  std::vector<std::string> run() {
    check_complete();
    mark_kept();
    for (entry_ = 0; entry_ < static_cast<std::int32_t>(script_.entries.size()) && faults_.size() < most_; ++entry_) {
      if (entry_ == script_.update) begin_update();
      check_parts();
      check_owners();
      run_entry();
    }
    return std::move(faults_);
  }

 private:
  template <typename... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args) {
    if (faults_.size() < most_)
      faults_.push_back(fmt::format("entry {}: {}", entry_, fmt::format(format, std::forward<Args>(args)...)));
  }

  const ScriptEntry& entry() const { return script_.entries[static_cast<std::size_t>(entry_)]; }
  const Step& step() const { return plan_.steps[static_cast<std::size_t>(entry().step)]; }
  /// Checks that every instruction runs once on each of its rows, in the plan's order except for chunks of rows that
  /// run earlier, and that the update follows.
  void check_complete() {
    const std::size_t update = check_instructions();
    if (update != static_cast<std::size_t>(script_.update))
      faults_.push_back(
          fmt::format("{} entries before the update; expected {}, as in the plan", script_.update, update));
    if (update == script_.entries.size() && script_.backward == script_.update) return;
    std::map<std::pair<Work, std::int32_t>, int> times;
    bool scaled = false;
    for (std::size_t k = update; k < script_.entries.size(); ++k) {
      const ScriptEntry& e = script_.entries[k];
      ++times[{e.work, e.parameter}];
      if (e.work == Work::kUpdate && !scaled)
        faults_.push_back(fmt::format("entry {}: an update before the scale is known", k));
      scaled = scaled || e.work == Work::kScale;
    }
    constexpr std::string_view kNames[] = {"instruction", "loss", "squares", "scale", "update"};
    const auto once = [&](Work work, std::int32_t p) {
      if (const int count = times[{work, p}]; count != 1)
        faults_.push_back(fmt::format("{}{}: occurs {} times; expected once", kNames[static_cast<std::size_t>(work)],
                                      p < 0 ? "" : fmt::format(" of parameter {}", p), count));
    };
    once(Work::kLoss, -1);
    once(Work::kScale, -1);
    for (std::int32_t p = 0; p < static_cast<std::int32_t>(program_.parameters.size()); ++p) {
      once(Work::kSquares, p);
      once(Work::kUpdate, p);
    }
    if (times.size() != 2 * program_.parameters.size() + 2)
      faults_.push_back("the update has entries that are neither for the loss, nor for the scale, nor for a parameter");
  }

  /// Checks the entries before the update. @return how many of them are for instructions of the plan
  std::size_t check_instructions() {
    struct Found {
      std::vector<RowRange> rows;
      std::size_t last = 0;  // number of the instruction's last entry
    };
    std::map<std::pair<std::int32_t, std::int32_t>, Found> found;  // key: step, instruction
    std::size_t end = 0;
    for (; end < script_.entries.size() && script_.entries[end].work == Work::kInstruction; ++end) {
      const ScriptEntry& e = script_.entries[end];
      Found& of = found[{e.step, e.instruction}];
      of.rows.push_back(e.rows);
      of.last = end;
    }
    std::size_t last = 0, known = 0;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      const Code& code = program_.types[step.type].at(step.backward, step.stage);
      for (std::size_t k = 0; k < code.size(); ++k) {
        const RowRange rows = plan_.range(step, code[k].domain);
        const auto it = found.find({static_cast<std::int32_t>(s), static_cast<std::int32_t>(k)});
        if (it == found.end() ? rows.begin < rows.end : it->second.last < last)
          faults_.push_back(fmt::format("step {}, instruction {}: not in the script, or not in order", s, k));
        if (it == found.end()) continue;
        if (!make_up(it->second.rows, rows))
          faults_.push_back(fmt::format("step {}, instruction {}: rows differ from the plan's", s, k));
        last = it->second.last;
        known += it->second.rows.size();
      }
    }
    return known;
  }

  /// True if the parts cover all rows, each row once.
  static bool make_up(std::vector<RowRange>& parts, RowRange rows) {
    std::ranges::sort(parts, {}, &RowRange::begin);
    for (const RowRange& part : parts)
      if (part.begin == rows.begin && part.begin <= part.end)
        rows.begin = part.end;
      else
        return false;
    return rows.begin == rows.end;
  }

  /// Begins the update: all processors meet, and gradients that no entry has summed count as zero.
  void begin_update() {
    clocks_.meet(entry_);
    for (std::int64_t p = 0; p < gradients_.size(); ++p)
      if (!gradients_.is_written(p)) gradients_.write(p, Shadow::kCaller, entry_ - 1);
  }

  /// Marks the memory that the caller writes before ∂F as written.
  void mark_kept() {
    for (std::size_t t = 0; t < program_.types.size(); ++t)
      for (const Output& output : program_.types[t].push_gradients) {
        const std::int64_t begin = plan_.types[t].tensors[output.operand.id];
        const std::int64_t rows = output.operand.stride == 0 ? 1 : plan_.types[t].vertices;
        for (std::int64_t i = 0; i < rows * std::max(output.operand.stride, output.operand.width); ++i)
          arena_.write(begin + i, Shadow::kCaller, 0);
      }
  }

  /// Checks that parts follow each other without gaps or overlaps. Parts by rows must cover the entry's rows, and parts
  /// by units of columns must begin at unit 0.
  void check_parts() {
    const ScriptEntry& e = entry();
    if (e.share == Share::kOne && (e.processor < 0 || e.processor >= script_.processors))
      fault("is for processor {}; expected one of {} processors", e.processor, script_.processors);
    if (e.share != Share::kRows && e.share != Share::kColumns) return;
    std::int32_t next = e.share == Share::kRows ? e.rows.begin : 0;
    for (const Part& p : part_of(script_.parts, e.parts)) {
      if (p.begin != next || p.processor < 0 || p.processor >= script_.processors)
        fault("parts have gaps or overlaps: [{}, {}) of processor {} after {}", p.begin, p.end, p.processor, next);
      next = p.end;
    }
    if (e.share == Share::kRows && next != e.rows.end) fault("no processor has rows [{}, {})", next, e.rows.end);
  }

  /// Checks that only the owner of a column of a placed weight multiplies with the column.
  void check_owners() {
    const ScriptEntry& e = entry();
    if (!e.is_of_step() || e.share != Share::kColumns || step().stage != Stage::kTask) return;
    const Instruction& i = program_.types[step().type].at(step().backward, step().stage)[e.instruction];
    each_instruction(std::span(&i, 1), [&](const Instruction& member) {
      const auto* const product = member.as<Matmul>();
      if (product == nullptr) return;
      for (const Factor& factor : product->factors) {
        const PlacedWeight* const placed = placement_.find(factor.weight);
        if (placed != nullptr) check_owners(*placed, part_of(script_.parts, e.parts));
      }
    });
  }
  void check_owners(const PlacedWeight& placed, std::span<const Part> parts) {
    for (const Part& p : parts)
      for (std::int32_t u = p.begin; u < p.end; ++u)
        if (u >= placed.units() || placed.owner[u] != p.processor)
          return fault("processor {} multiplies with unit {} of weight {}, which another processor owns", p.processor,
                       u, placed.weight);
    if (parts.empty() || parts.back().end != placed.units())
      fault("no processor multiplies with the last units of weight {}", placed.weight);
  }

  void run_entry() {
    const ScriptEntry& e = entry();
    if (e.share == Share::kCollective) clocks_.meet(entry_);
    for (std::int32_t p = 0; p < script_.processors; ++p)
      if (e.is_of(p)) wait(p);
    for (std::int32_t p = 0; p < script_.processors; ++p)
      if (e.is_of(p)) use(p);
    for (std::int32_t p = 0; p < script_.processors; ++p)
      if (e.is_of(p)) clocks_.set(p, p, entry_ + 1);
    if (e.share == Share::kCollective) clocks_.meet(entry_ + 1);
    if (e.signals) then_[static_cast<std::size_t>(entry_)] = clocks_.all();
  }

  void wait(std::int32_t p) {
    for (const Wait& w : part_of(script_.waits, entry().waits)) {
      if (w.entry < 0 || w.entry >= entry_ || !script_.entries[static_cast<std::size_t>(w.entry)].signals) {
        fault("waits for entry {}, which comes later or does not signal", w.entry);
        continue;
      }
      const ScriptEntry& of = script_.entries[static_cast<std::size_t>(w.entry)];
      for (std::int32_t q = 0; q < script_.processors; ++q) {
        if (q == p || (w.processor != Wait::kAll && w.processor != q)) continue;
        if (!of.is_of(q))
          fault("waits for processor {} at entry {}, in which that processor has no part", q, w.entry);
        else
          clocks_.join(p, q, then_[static_cast<std::size_t>(w.entry)]);
      }
    }
  }

  void use(std::int32_t p) {
    ProcessorAccesses(plan_, script_, entry(), p)
        .each([&](const ScriptOperand& o, std::int32_t row, std::int32_t begin, std::int32_t end) {
          if (!entry().is_of_step()) return take(p, o);
          if (o.buffer == Buffer::kGradient) return sum(p, o);
          access(p, o, row, begin, end);
        });
  }

  void access(std::int32_t p, const ScriptOperand& o, std::int32_t row, std::int32_t begin, std::int32_t end) {
    const std::int64_t base = o.offset + std::int64_t{row} * o.stride;
    if (base + begin < 0 || base + end > arena_.size()) return fault("row {} lies outside of the arena", row);
    for (std::int32_t c = begin; c < end; ++c)
      if (!access_number(p, o, base + c))
        return fault("processor {} {} row {}, column {}, which {}", p, o.writes ? "writes" : "reads", row, c,
                     arena_.is_written(base + c) ? "another processor may be accessing" : "has not been written");
  }

  bool access_number(std::int32_t p, const ScriptOperand& o, std::int64_t at) {
    if (!o.writes) {
      arena_.read(at, p, entry_);
      return arena_.is_written(at) && arena_.may_read(at, p, clocks_);
    }
    const bool may = arena_.may_write(at, p, clocks_);
    if (is_settled(p)) arena_.write(at, writer(p), entry_);
    return may;
  }

  /// True if the executor decides which processor computes an element. So every processor must be free to write it.
  bool is_output() const { return entry().share == Share::kOutput || entry().share == Share::kCollective; }
  std::int32_t writer(std::int32_t p) const { return is_output() ? Shadow::kSome : p; }
  /// True if the writes of an entry are recorded with processor p: of an output, after the checks of all processors.
  bool is_settled(std::int32_t p) const { return !is_output() || p + 1 == script_.processors; }

  /// Checks that the processor may write a gradient of a parameter, and that sums begin at zero and then add.
  void sum(std::int32_t p, const ScriptOperand& o) {
    if (!gradients_.may_write(o.id, p, clocks_))
      fault("processor {} sums the gradient of parameter {} too early", p, o.id);
    if (!is_settled(p)) return;
    if (entry().adds != gradients_.is_written(o.id))
      fault("the gradient of parameter {} is {}", o.id, entry().adds ? "added to before it is summed" : "summed twice");
    gradients_.write(o.id, writer(p), entry_);
  }

  static std::string name(const ScriptOperand& o) {
    if (o.buffer == Buffer::kLoss) return "the loss";
    const char* const what = o.buffer == Buffer::kGradient  ? "gradient"
                             : o.buffer == Buffer::kSquares ? "squares"
                                                            : "values";
    return fmt::format("the {} of parameter {}", what, o.id);
  }

  /// Checks an access of the update. The access is to a whole buffer.
  void take(std::int32_t p, const ScriptOperand& o) {
    Shadow& shadow = o.buffer == Buffer::kGradient  ? gradients_
                     : o.buffer == Buffer::kSquares ? squares_
                     : o.buffer == Buffer::kLoss    ? loss_
                                                    : values_;
    const bool is_new = !shadow.is_written(o.id);
    const bool needs_new = o.writes || o.buffer == Buffer::kParameter;  // values are read before they change
    const bool in_order = o.writes ? shadow.may_write(o.id, p, clocks_) : is_new || shadow.may_read(o.id, p, clocks_);
    if (is_new != needs_new || !in_order)
      fault("processor {} {} {}, {}", p, o.writes ? "writes" : "reads", name(o),
            is_new == needs_new ? "which another processor may be accessing"
            : is_new            ? "which has not been written"
                                : "which has already been written");
    if (!o.writes) return shadow.read(o.id, p, entry_);
    if (is_settled(p)) shadow.write(o.id, writer(p), entry_);
  }

  const Program& program_;
  const WeightPlacement& placement_;
  const Plan& plan_;
  const Script& script_;
  const std::size_t most_;
  Clocks clocks_;
  Shadow arena_;                         // one element per float
  Shadow gradients_, squares_, values_;  // one element per parameter
  Shadow loss_;
  std::vector<std::vector<std::int32_t>> then_;  // [entries] Clocks::all() after the entry, if it signals
  std::int32_t entry_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> find_faults(const Program& program, const WeightPlacement& placement, const Plan& plan,
                                     const Script& script, std::size_t most) {
  return Validation(program, placement, plan, script, most).run();
}

void check_script(const Program& program, const WeightPlacement& placement, const Plan& plan, const Script& script) {
  const std::vector<std::string> faults = find_faults(program, placement, plan, script);
  if (faults.empty()) return;
  throw InternalError(
      fmt::format("a script for {} processors has faults; please report them, and use device cpu meanwhile:\n  {}",
                  script.processors, fmt::join(faults, "\n  ")));
}

}  // namespace cavs::inline v0_1
