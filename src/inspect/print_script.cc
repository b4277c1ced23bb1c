#include "inspect/print_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "script/processor_accesses.h"
#include "support/table.h"

namespace cavs::inline v0_1 {
namespace {

std::string share_text(const Script& script, const ScriptEntry& entry) {
  constexpr std::string_view kNames[] = {"processor", "columns", "rows", "by output", "all meet"};
  std::string text(kNames[static_cast<std::size_t>(entry.share)]);
  if (entry.share == Share::kOne) return fmt::format("{} {}", text, entry.processor);
  if (entry.share == Share::kColumns || !entry.is_of_step()) return text;
  std::vector<std::string> parts;
  for (const Part& p : part_of(script.parts, entry.parts)) parts.push_back(fmt::format("{}-{}", p.begin, p.end - 1));
  return fmt::format("{} {}", text, fmt::join(parts, " "));
}

std::string waits_text(const Script& script, const ScriptEntry& entry) {
  std::vector<std::string> texts;
  for (const Wait& w : part_of(script.waits, entry.waits))
    texts.push_back(w.processor == Wait::kAll ? fmt::format("all {}", w.entry)
                                              : fmt::format("{}: {}", w.processor, w.entry));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string update_text(const Program& program, const ScriptEntry& entry) {
  if (entry.parameter < 0) return entry.work == Work::kLoss ? "loss" : "scale";
  return fmt::format("{} {}", entry.work == Work::kSquares ? "squares of" : "update",
                     program.parameters[entry.parameter].name);
}

std::string load_text(const Script& script) {
  const double all = std::accumulate(script.load.begin(), script.load.end(), 0.0);
  std::vector<std::string> texts;
  for (const double load : script.load) texts.push_back(fmt::format("{:.1f} %", 100 * load / std::max(all, 1.0)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string to_text(const Script& script, const Program& program, const Plan& plan) {
  std::vector<std::vector<std::string>> table{
      {"entry", "pass", "function", "stage", "instruction", "rows", "share", "waits for"}};
  for (std::size_t k = 0; k < script.entries.size(); ++k) {
    const ScriptEntry& entry = script.entries[k];
    if (!entry.is_of_step()) {
      table.push_back({fmt::format("{}", k), "update", "", "", update_text(program, entry), "",
                       share_text(script, entry), waits_text(script, entry)});
      continue;
    }
    const Step& step = plan.steps[entry.step];
    const TypeProgram& type = program.types[step.type];
    const Instruction& instruction = type.at(step.backward, step.stage)[entry.instruction];
    table.push_back(
        {fmt::format("{}", k), step.backward ? "backward" : "forward", type.function.name,
         std::string(to_string(step.stage)), std::string(name_of(instruction)),
         entry.rows.begin < entry.rows.end ? fmt::format("{}-{}", entry.rows.begin, entry.rows.end - 1) : "none",
         share_text(script, entry), waits_text(script, entry)});
  }
  return align_columns(table) + fmt::format("{} entries, {} waits; {} processor{}, load {}\n", script.entries.size(),
                                            script.waits.size(), script.processors, script.processors == 1 ? "" : "s",
                                            load_text(script));
}

}  // namespace cavs::inline v0_1
