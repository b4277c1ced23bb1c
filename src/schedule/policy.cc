#include "schedule/policy.h"

#include <array>
#include <vector>

#include "cavs/policy.h"
#include "schedule/policies.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {

std::span<const PolicyDef> all_policies() {
  static constexpr std::array kPolicies{
#define CAVS_POLICY(name, make, doc) PolicyDef{name, doc, make},
#define CAVS_LEARNED_POLICY(name, doc) PolicyDef{name, doc, nullptr},
#include "schedule/policy_list.inc"
#undef CAVS_LEARNED_POLICY
#undef CAVS_POLICY
  };
  return kPolicies;
}

std::vector<PolicyInfo> policies() {
  std::vector<PolicyInfo> infos;
  for (const PolicyDef& policy : all_policies()) infos.push_back({policy.name, policy.doc, policy.make == nullptr});
  return infos;
}

std::string policy_kind(const std::string& name) {
  return name == "depth" ? "frontier" : name.substr(0, name.find(':'));
}

std::unique_ptr<Policy> make_policy(std::string_view name) {
  std::vector<std::string_view> known;
  for (const PolicyDef& policy : all_policies()) {
    known.push_back(policy.name);
    if (policy.name != name) continue;
    user_check(policy.make != nullptr,
               "policy '{}' has to be learned first; pass a learned policy, or its file as {}:FILE", name, name);
    return policy.make();
  }
  user_error("unknown policy '{}'; {}", name, suggest(name, known));
}

}  // namespace cavs::inline v0_1
