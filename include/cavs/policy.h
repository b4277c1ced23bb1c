#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/version.h"

namespace cavs::inline v0_1 {
class BoundGraphs;
}

namespace cavs {
inline namespace CAVS_API v0_1 {

/// How a learned policy describes the frontier, the set of vertices whose children are done (ED-Batch, section 2.3;
/// kPhase: appendix A.4).
enum class StateEncoding : std::uint8_t {
  kBase,   // the set of types in the frontier
  kMax,    // the set, and the most frequent type
  kSort,   // the types, the most frequent first
  kPhase,  // as kSort, and the fraction of the minibatch that is done
};

/// A policy that SessionOptions::policy may name.
struct PolicyInfo {
  std::string_view name, doc;
  bool learned = false;  // must be learned first (learn_policy)
};
/// All policies of the library.
std::vector<PolicyInfo> policies();

/// The policy that a value of SessionOptions::policy names: "fsm" for "fsm:FILE", and "frontier" for its alias "depth".
std::string policy_kind(const std::string& name);

const char* encoding_name(StateEncoding encoding);
/// @throws UserError with a suggestion if there is none.
StateEncoding find_encoding(const std::string& name);

/// Options of learning a policy by tabular Q-learning with N-step bootstrapping (ED-Batch). They include all choices
/// that the paper leaves open.
struct LearnOptions {
  StateEncoding encoding = StateEncoding::kSort;
  std::int64_t samples = 32;  // drawn at random from the data, as the minibatch to learn on
  // Number of held-out minibatches of `samples` each. Tables of Q are scored on them, too, against overfitting.
  std::int64_t held_out = 3;
  std::int64_t trials = 1000;  // maximum number of schedules of the minibatch to try
  // Trials between checks. A check schedules all minibatches. The best table of all checks is kept, and learning ends
  // when all minibatches reach the lower bound. Q fluctuates: results vary less between seeds with 10 than with 50.
  std::int64_t check_every = 10;
  double reward_weight = 1;    // α of the reward (equation 1)
  double learning_rate = 0.1;  // of Q
  double discount = 0.95;      // factor on rewards per step of delay
  std::int64_t steps = 8;      // N of N-step bootstrapping: number of rewards summed before the estimate of Q
  double epsilon = 0.2;        // probability of a random choice
  std::int64_t phases = 8;     // number of phases, for kPhase
  std::uint64_t seed = 1;
  bool operator==(const LearnOptions&) const = default;
};

/// A batching policy learned for a model: a finite state machine, as plain values. Valid for any data and any sizes of
/// the model. In a state without a rule, the policy `ratio` chooses.
struct LearnedPolicy {
  /// In the state (ready, phase) of the frontier, the next task has type `next`.
  struct Rule {
    std::vector<std::int32_t> ready;  // types, in the encoding's order
    std::int32_t phase = 0;
    std::int32_t next = 0;
    bool operator==(const Rule&) const = default;
  };
  /// The result of learning, on the minibatch that was learned from.
  struct Record {
    std::int64_t vertices = 0, trials = 0;
    std::int64_t tasks = 0, lower_bound = 0;
    std::int64_t ratio_tasks = 0;  // tasks with policy `ratio`; `rules` is empty if every table needs more tasks
    bool operator==(const Record&) const = default;
  };

  std::string model;               // name of the model, for messages
  std::uint64_t fingerprint = 0;   // hash of the vertex functions without sizes; Session refuses other models
  std::vector<std::string> types;  // names of the vertex functions; rules refer to them by number
  LearnOptions options;
  std::vector<Rule> rules;
  Record record;
  bool operator==(const LearnedPolicy&) const = default;
};

/// Learns a policy for the program that the graphs are bound to. Equal arguments give equal policies.
/// @param model  Name of the model, for messages.
/// @throws UserError if there are no graphs, or an option is out of range. Cost: `trials` schedules of `samples`
/// graphs, and one schedule of all minibatches per check.
LearnedPolicy learn_policy(const std::string& model, const BoundGraphs& graphs, const LearnOptions& options = {});

/// Returns the policy as JSON (docs/guide/policies.md). Equal policies give equal texts.
std::string policy_to_json(const LearnedPolicy& policy);
/// Reads the JSON. `where` starts every message. @throws UserError for any other text.
LearnedPolicy policy_from_json(const std::string& text, const std::string& where);

/// Writes the policy, replacing the file atomically. @throws UserError if that fails.
void save_policy(const std::string& path, const LearnedPolicy& policy);
/// Reads a policy. @throws UserError if the file cannot be read, or is not a policy.
LearnedPolicy load_policy(const std::string& path);

}  // namespace v0_1
}  // namespace cavs
