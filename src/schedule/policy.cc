#include "schedule/policy.h"

#include <array>
#include <vector>

#include "schedule/policies.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs {

std::span<const Policy> all_policies() {
  static constexpr std::array kPolicies{
      Policy{"frontier", "a task a level and type: Cavs' breadth-first batching", choose_frontier, true},
      Policy{"serial", "one vertex a task, for comparison", choose_serial},
  };
  return kPolicies;
}

const Policy& find_policy(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Policy& policy : all_policies()) {
    if (policy.name == name) return policy;
    known.push_back(policy.name);
  }
  user_error("unknown policy '{}'; {}", name, suggest(name, known));
}

}  // namespace cavs
