#pragma once

#include <memory>

#include "cavs/checkpoint.h"
#include "cavs/policy.h"
#include "cli/options.h"

namespace cavs::cli {

/// Key of Checkpoint::extra under which 'cavs train' saves a learned policy.
inline constexpr const char* kPolicyKey = "policy";

/// Accepts the name of a policy, or fsm:FILE.
CLI::Validator policy_name();

/// Returns FILE of fsm:FILE; empty for any other policy.
std::string policy_file(const std::string& name);

/// Returns the learned policy of --policy. For fsm:FILE reads the file; for fsm returns the policy of the checkpoint,
/// or else learns a policy on the graphs; for any other policy returns null. `graphs` and `checkpoint` may be null.
/// @throws UserError if both are null for fsm, or the policy of the checkpoint cannot be read.
std::shared_ptr<const LearnedPolicy> learned_policy(const Options& options, const Model& model, const GraphSet* graphs,
                                                    const Checkpoint* checkpoint = nullptr);

/// Learns a policy, logs the result, and returns the policy. `name` is the name of the model.
LearnedPolicy learn_and_log(const std::string& name, const BoundGraphs& graphs, const LearnOptions& options);

}  // namespace cavs::cli
