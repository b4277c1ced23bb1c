#include "plan/describe_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "support/bytes.h"

namespace cavs::inline v0_1 {

std::string describe_memory(const Program& program, const Plan& plan, std::int64_t tile_bytes) {
  constexpr std::int64_t kFloat = sizeof(float);
  using Item = std::pair<std::int64_t, std::string>;
  std::vector<Item> starts;
  for (std::size_t s = 0; s < program.states.size(); ++s) {
    if (plan.states[s] != Plan::kKept)
      starts.emplace_back(plan.states[s], fmt::format("state '{}'", program.states[s].name));
    starts.emplace_back(plan.state_gradients[s], fmt::format("gradient of state '{}'", program.states[s].name));
  }
  for (std::size_t t = 0; t < program.types.size(); ++t)
    for (std::size_t i = 0; i < program.types[t].tensors.size(); ++i)
      starts.emplace_back(plan.types[t].tensors[i], fmt::format("'{}' of '{}'", program.types[t].tensors[i].name,
                                                                program.types[t].function.name));
  std::ranges::stable_sort(starts, {}, &Item::first);
  std::vector<Item> items{{tile_bytes / kFloat, "tiles of all threads"}};  // size in floats, and name
  for (std::size_t i = 0; i < starts.size(); ++i)
    items.emplace_back((i + 1 < starts.size() ? starts[i + 1].first : plan.arena) - starts[i].first, starts[i].second);
  std::ranges::stable_sort(items, std::greater(), &Item::first);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), 3); ++i)
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", items[i].second, format_bytes(items[i].first * kFloat));
  return text;
}

}  // namespace cavs::inline v0_1
