#include "schedule/resolve_policy.h"

#include <fmt/ranges.h>

#include "schedule/fsm.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kLearned = "fsm", kFile = "fsm:";

std::unique_ptr<Policy> checked_fsm(const LearnedPolicy& policy, const std::string& where, const Program& program) {
  if (policy.fingerprint == program.fingerprint) return std::make_unique<FsmPolicy>(policy);
  std::vector<std::string> types;
  for (const TypeProgram& type : program.types) types.push_back(type.function.name);
  user_error(
      "{}: the policy was learned for model '{}' (vertex functions {}), not for this one (vertex functions {}{}); "
      "learn one for it (learn_policy)",
      where, policy.model, fmt::join(policy.types, ", "), fmt::join(types, ", "),
      types == policy.types ? ", with other states or children" : "");
}

}  // namespace

std::unique_ptr<Policy> resolve_policy(const std::string& name, const LearnedPolicy* learned, const Program& program) {
  if (name.starts_with(kFile)) {
    const std::string path = name.substr(kFile.size());
    return checked_fsm(learned != nullptr ? *learned : load_policy(path), path, program);
  }
  if (name == kLearned && learned != nullptr) return checked_fsm(*learned, "policy 'fsm'", program);
  return make_policy(name);
}

}  // namespace cavs::inline v0_1
