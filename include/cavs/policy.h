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
  kBase,   // the set of the types of the frontier's vertices
  kMax,    // this set, and the type of most vertices
  kSort,   // the list of these types, sorted by number of vertices, the most frequent first
  kPhase,  // the list of kSort, and the phase: the fraction of the minibatch that is done
};

/// A policy that SessionOptions::policy may name.
struct PolicyInfo {
  std::string_view name, doc;
  bool learned = false;  // true if learn_policy must make the policy first
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
  std::int64_t samples = 32;  // number of samples, drawn at random, in the minibatch that is learned on
  // Number of held-out minibatches of `samples` each. Tables of Q are scored on them, too, against overfitting.
  std::int64_t held_out = 3;
  std::int64_t trials = 1000;  // maximum number of schedules of the minibatch to try
  // Trials between checks. A check schedules all minibatches. The best table of all checks is kept, and learning ends
  // when all minibatches reach the lower bound. Q fluctuates: results vary less between seeds with 10 than with 50.
  std::int64_t check_every = 10;
  double reward_weight = 1;    // α of the reward (equation 1)
  double learning_rate = 0.1;  // learning rate of Q's updates
  double discount = 0.95;      // factor on a reward for each step that it is later
  std::int64_t steps = 8;      // N of N-step bootstrapping: number of rewards summed before the estimate of Q
  double epsilon = 0.2;        // probability of choosing the next type at random
  std::int64_t phases = 8;     // number of phases in kPhase
  std::uint64_t seed = 1;
  bool operator==(const LearnOptions&) const = default;
};

/// A batching policy learned for a model: a finite state machine, as plain values. Valid for any data and any sizes of
/// the model. In a state without a rule, the policy `ratio` chooses.
struct LearnedPolicy {
  /// In the state (ready, phase) of the frontier, the next task has type `next`.
  struct Rule {
    std::vector<std::int32_t> ready;  // the frontier's types, in the order of the encoding
    std::int32_t phase = 0;           // from 0; always 0 unless the encoding is kPhase
    std::int32_t next = 0;
    bool operator==(const Rule&) const = default;
  };
  /// The result of learning, on the minibatch that was learned from.
  struct Record {
    std::int64_t vertices = 0, trials = 0;    // vertices of the minibatch; schedules that were tried
    std::int64_t tasks = 0, lower_bound = 0;  // tasks with the learned policy; fewest that any policy could need
    std::int64_t ratio_tasks = 0;  // tasks with the policy `ratio`; if every table needs more, `rules` is empty
    bool operator==(const Record&) const = default;
  };

  std::string model;               // name of the model, for messages
  std::uint64_t fingerprint = 0;   // hash of the vertex functions without sizes; Session refuses other models
  std::vector<std::string> types;  // names of the vertex functions; a type in a rule is a position in this list
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
