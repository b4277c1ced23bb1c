#pragma once

#include <memory>
#include <string>

#include "cavs/policy.h"
#include "compile/program.h"
#include "schedule/policy.h"

namespace cavs::inline v0_1 {

/// Makes the policy that a user specifies: one of all_policies(), "fsm" (with the rules in `learned`), or "fsm:FILE".
/// @throws UserError for an unknown name, a file without a policy, "fsm" without `learned`, or a policy that was
/// learned for another model.
std::unique_ptr<Policy> resolve_policy(const std::string& name, const LearnedPolicy* learned, const Program& program);

}  // namespace cavs::inline v0_1
