#pragma once

#include <memory>

#include "cavs/checkpoint.h"
#include "cavs/policy.h"
#include "cli/options.h"

namespace cavs::cli {

/// Where train keeps a learned policy: a key of Checkpoint::extra.
inline constexpr const char* kPolicyKey = "policy";

/// A policy's name, or fsm:FILE.
CLI::Validator policy_name();

/// FILE of fsm:FILE; empty of any other policy.
std::string policy_file(const std::string& name);

/// What --policy fsm means: the policy that the checkpoint holds, else one that is learned now on the graphs; fsm:FILE:
/// that of the file. Null for any other --policy. `graphs` and `checkpoint` may be null.
/// @throws UserError if there is neither, or the checkpoint's is not readable.
std::shared_ptr<const LearnedPolicy> learned_policy(const Options& options, const Model& model, const GraphSet* graphs,
                                                    const Checkpoint* checkpoint = nullptr);

/// Learns and says so. `name`: the model's.
LearnedPolicy learn_aloud(const std::string& name, const BoundGraphs& graphs, const LearnOptions& options);

}  // namespace cavs::cli
