#include "placement/placement_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/bytes.h"
#include "support/table.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns text such as "0: 0-3, 1: 4-7": processor 0 owns units 0 to 3, processor 1 owns units 4 to 7.
std::string owners_text(const PlacedWeight& placed) {
  std::vector<std::string> runs;
  for (std::int32_t begin = 0, end = 0; begin < placed.units(); begin = end) {
    const std::int32_t owner = placed.owner[begin];
    while (end < placed.units() && placed.owner[end] == owner) ++end;
    runs.push_back(fmt::format("{}: {}-{}", owner, begin, end - 1));
  }
  if (runs.size() > 4) return fmt::format("{} ... {}", runs.front(), runs.back());
  return fmt::format("{}", fmt::join(runs, ", "));
}

std::string memory_text(const PlacedWeight& placed, const OnChipTarget& target) {
  std::vector<std::string> texts;
  for (std::int32_t m = -1; m < static_cast<std::int32_t>(target.memories.size()); ++m)
    if (const auto units = std::ranges::count(placed.memory, m); units > 0)
      texts.push_back(fmt::format("{} {}", format_bytes(units * placed.unit_bytes),
                                  m < 0 ? "streamed" : target.memories[static_cast<std::size_t>(m)].name));
  return fmt::format("{}", fmt::join(texts, ", "));
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

std::string to_text(const WeightPlacement& placement, const Program& program) {
  const OnChipTarget& target = placement.target;
  std::string text =
      fmt::format("weights on {}: {} processor{}\n", target.name, target.processors, target.processors == 1 ? "" : "s");
  std::vector<std::vector<std::string>> table{{"weight", "units", "columns", "owners", "memory"}};
  for (const PlacedWeight& placed : placement.weights)
    table.push_back({weight_name(program, program.weights[placed.weight]), fmt::format("{}", placed.units()),
                     fmt::format("{} x {}", placed.gates, placed.unit_columns), owners_text(placed),
                     memory_text(placed, target)});
  text += align_columns(table, "  ");
  return text + fmt::format("used on the fullest processor: {}\n", fullest_text(placement));
}

}  // namespace cavs::inline v0_1
