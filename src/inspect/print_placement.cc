#include "inspect/print_placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "inspect/table.h"
#include "support/bytes.h"

namespace cavs {
namespace {

/// "0-3 4-7": units of processors 0, 1; "in turn" where a processor has several runs of them.
std::string owners_text(const PlacedWeight& placed) {
  std::vector<std::string> runs;
  std::vector<char> seen;
  for (std::int32_t begin = 0, end = 0; begin < placed.units(); begin = end) {
    const std::int32_t owner = placed.owner[begin];
    while (end < placed.units() && placed.owner[end] == owner) ++end;
    seen.resize(std::max<std::size_t>(seen.size(), static_cast<std::size_t>(owner) + 1));
    if (seen[owner] != 0) return fmt::format("in turn from {}", placed.owner.front());
    seen[owner] = 1;
    runs.push_back(fmt::format("{}: {}-{}", owner, begin, end - 1));
  }
  if (runs.size() > 4) return fmt::format("{} ... {}", runs.front(), runs.back());
  return fmt::format("{}", fmt::join(runs, ", "));
}

std::string memory_text(const PlacedWeight& placed, const OnChipTarget& target) {
  if (placed.owner.empty() || placed.unit_bytes == 0) return "the forward copy";
  std::vector<std::string> texts;
  for (std::int32_t m = -1; m < static_cast<std::int32_t>(target.memories.size()); ++m)
    if (const auto units = std::ranges::count(placed.memory, m); units > 0)
      texts.push_back(fmt::format("{} {}", format_bytes(units * placed.unit_bytes),
                                  m < 0 ? "streamed" : target.memories[static_cast<std::size_t>(m)].name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string gradients_text(const WeightPlacement& placement, const Program& program) {
  std::vector<std::vector<std::string>> table{{"gradient", "summed"}};
  for (const PlacedGradient& gradient : placement.gradients)
    table.push_back({program.parameters[gradient.parameter].name, std::string(to_string(gradient.place))});
  return align_columns(table, "  ");
}

std::string fullest_text(const WeightPlacement& placement) {
  std::vector<std::string> texts;
  for (std::size_t m = 0; m < placement.target.memories.size(); ++m) {
    std::int64_t most = 0;
    for (const auto& used : placement.used) most = std::max(most, used[m]);
    const OnChipMemory& memory = placement.target.memories[m];
    texts.push_back(fmt::format("{} of {} {}", format_bytes(most), format_bytes(memory.bytes), memory.name));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string weight_name(const Program& program, const Weight& weight) {
  std::vector<std::string> names;
  for (const std::int32_t p : weight.parameters) names.push_back(program.parameters[p].name);
  return fmt::format("{}{}", fmt::join(names, " | "), weight.transposed ? ", transposed" : "");
}

std::string_view to_string(GradientPlace place) {
  constexpr std::string_view kNames[] = {"one product after the tasks", "beside the weight", "streamed"};
  return kNames[static_cast<std::size_t>(place)];
}

std::string to_text(const WeightPlacement& placement, const Program& program) {
  const OnChipTarget& target = placement.target;
  std::string text = fmt::format("weights on {}: {} processor{}, {}\n", target.name, target.processors,
                                 target.processors == 1 ? "" : "s",
                                 placement_strategy_names()[static_cast<std::size_t>(placement.strategy)]);
  std::vector<std::vector<std::string>> table{{"weight", "units", "columns", "owners", "where"}};
  for (const PlacedWeight& placed : placement.weights)
    table.push_back({weight_name(program, program.weights[placed.weight]),
                     placed.owner.empty() ? "" : fmt::format("{}", placed.units()),
                     fmt::format("{} x {}", placed.gates, placed.unit_columns), owners_text(placed),
                     memory_text(placed, target)});
  text += align_columns(table, "  ");
  if (!placement.gradients.empty()) text += gradients_text(placement, program);
  return text + fmt::format("the fullest processor has {}\n", fullest_text(placement));
}

}  // namespace cavs
