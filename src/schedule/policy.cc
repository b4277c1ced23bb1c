#include "schedule/policy.h"

#include <array>
#include <vector>

#include "schedule/policies.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs {

std::span<const PolicyDef> all_policies() {
  static constexpr std::array kPolicies{
      PolicyDef{"frontier", "a task a level and type: Cavs' breadth-first batching", make_frontier},
      PolicyDef{"depth", "the same: the name by which ED-Batch compares with it", make_frontier},
      PolicyDef{"agenda", "DyNet's: the type whose remaining vertices are the least deep on average", make_agenda},
      PolicyDef{"ratio", "the type of whose own frontier the most is ready (ED-Batch, Lemma 2.1)", make_ratio},
      PolicyDef{"fsm", "a finite state machine that is learned for the model (ED-Batch)", nullptr},
      PolicyDef{"serial", "one vertex a task, for comparison", make_serial},
  };
  return kPolicies;
}

std::unique_ptr<Policy> make_policy(std::string_view name) {
  std::vector<std::string_view> known;
  for (const PolicyDef& policy : all_policies()) {
    known.push_back(policy.name);
    if (policy.name != name) continue;
    user_check(policy.make != nullptr,
               "policy '{}' has to be learned first; give a learned one, or its file as {}:FILE", name, name);
    return policy.make();
  }
  user_error("unknown policy '{}'; {}", name, suggest(name, known));
}

}  // namespace cavs
