#include "cavs/policy.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(policy) {
  const LearnedPolicy policy = policy_from_json(std::string(bytes), "fuzz");
  for (const LearnedPolicy::Rule& rule : policy.rules)
    for (const std::int32_t type : rule.ready)
      expect(type >= 0 && type < std::ssize(policy.types), "a rule names types of the policy");
  expect(policy_from_json(policy_to_json(policy), "fuzz") == policy, "a policy that was written is read as it was");
}
