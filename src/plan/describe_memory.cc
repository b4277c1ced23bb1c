#include "plan/describe_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/bytes.h"

namespace cavs {

std::string describe_memory(const Program& program, const Plan& plan, std::int64_t tile_bytes) {
  struct Item {
    std::string name;
    std::int64_t floats;
  };
  std::vector<Item> items{{"tiles of all threads", tile_bytes / static_cast<std::int64_t>(sizeof(float))}};
  std::vector<std::pair<std::int64_t, std::string>> starts;
  for (std::size_t s = 0; s < program.states.size(); ++s) {
    if (plan.states[s] != Plan::kKept)
      starts.emplace_back(plan.states[s], fmt::format("state '{}'", program.states[s].name));
    starts.emplace_back(plan.state_gradients[s], fmt::format("gradient of state '{}'", program.states[s].name));
  }
  for (std::size_t t = 0; t < program.types.size(); ++t)
    for (std::size_t i = 0; i < program.types[t].tensors.size(); ++i)
      starts.emplace_back(plan.types[t].tensors[i], fmt::format("'{}' of '{}'", program.types[t].tensors[i].name,
                                                                program.types[t].function.name));
  std::stable_sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < starts.size(); ++i)
    items.push_back({starts[i].second, (i + 1 < starts.size() ? starts[i + 1].first : plan.arena) - starts[i].first});
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.floats > b.floats; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), 3); ++i)
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", items[i].name,
                        format_bytes(items[i].floats * static_cast<std::int64_t>(sizeof(float))));
  return text;
}

}  // namespace cavs
