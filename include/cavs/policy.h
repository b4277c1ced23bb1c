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

/// Which states of the frontier (the vertices whose children are done) a learned policy distinguishes. ED-Batch,
/// section 2.3; the last one: appendix A.4.
enum class StateEncoding : std::uint8_t {
  kBase,   // the set of types in the frontier
  kMax,    // the set, and the most frequent type
  kSort,   // the types in the order of their counts, the most frequent first
  kPhase,  // as kSort, and how much of the minibatch is done
};

/// A policy that SessionOptions::policy may name.
struct PolicyInfo {
  std::string_view name, doc;
  bool learned = false;  // has to be learned first (learn_policy)
};
/// Those of the library, in the order of documents.
std::vector<PolicyInfo> policies();

/// The policy that SessionOptions::policy names: "fsm" for "fsm:FILE", and "frontier" for its other name "depth".
std::string policy_kind(const std::string& name);

const char* encoding_name(StateEncoding encoding);
/// @throws UserError with a suggestion if there is none.
StateEncoding find_encoding(const std::string& name);

/// How a policy is learned: by Q-learning in a table, with N-step bootstrapping. What the paper (ED-Batch) leaves
/// open is an option here.
struct LearnOptions {
  StateEncoding encoding = StateEncoding::kSort;
  std::int64_t samples = 32;  // of the data, drawn at random: they are the minibatch that the policy is learned on
  // Held-out minibatches of `samples` each; tables are scored on all of them, against overfitting.
  std::int64_t held_out = 3;
  std::int64_t trials = 1000;  // maximum number of schedules of that minibatch that are tried
  // Trials between checks. A check schedules all minibatches; the best table of all checks is kept, and learning ends
  // when all reach the lower bound. Q fluctuates: with 10, results differ less from seed to seed than with 50.
  std::int64_t check_every = 10;
  double reward_weight = 1;    // α of the reward (equation 1)
  double learning_rate = 0.1;  // of Q
  double discount = 0.95;      // factor on later rewards, for each step that they are later
  std::int64_t steps = 8;      // N of N-step bootstrapping: rewards summed before the estimate of Q
  double epsilon = 0.2;        // probability of a random choice
  std::int64_t phases = 8;     // of kPhase
  std::uint64_t seed = 1;
  bool operator==(const LearnOptions&) const = default;
};

/// A batching policy that was learned for a model, as plain values: a finite state machine. It is valid for any data
/// and for any sizes of that model. In a state that it has no rule for, the policy `ratio` chooses.
struct LearnedPolicy {
  /// In this state of the frontier, `next` is the type of the next task.
  struct Rule {
    std::vector<std::int32_t> ready;  // types, in the encoding's order
    std::int32_t phase = 0;
    std::int32_t next = 0;
    bool operator==(const Rule&) const = default;
  };
  /// The result of learning, on the minibatch that it used.
  struct Record {
    std::int64_t vertices = 0, trials = 0;
    std::int64_t tasks = 0, lower_bound = 0;
    std::int64_t ratio_tasks = 0;  // tasks with the policy `ratio`; if no table needed so few, there are no rules
    bool operator==(const Record&) const = default;
  };

  std::string model;               // its name, for messages
  std::uint64_t fingerprint = 0;   // hash of the vertex functions, not of sizes; Session refuses a policy of others
  std::vector<std::string> types;  // names of the vertex functions; rules have their numbers
  LearnOptions options;
  std::vector<Rule> rules;
  Record record;
  bool operator==(const LearnedPolicy&) const = default;
};

/// Learns a policy for the program that the graphs are bound to. Equal arguments give equal policies.
/// @param model  its name, for messages.
/// @throws UserError if there are no graphs, or an option is out of range.
/// Cost: `trials` schedules of `samples` graphs, and for every check one of all minibatches.
LearnedPolicy learn_policy(const std::string& model, const BoundGraphs& graphs, const LearnOptions& options = {});

/// JSON, as docs/reference/command-line.md shows it. Equal policies give equal texts.
std::string policy_to_json(const LearnedPolicy& policy);
/// `where` starts every message. @throws UserError on anything that is not such a document.
LearnedPolicy policy_from_json(const std::string& text, const std::string& where);

/// Replaces the file atomically. @throws UserError if that fails.
void save_policy(const std::string& path, const LearnedPolicy& policy);
/// @throws UserError if the file cannot be read, or holds no policy.
LearnedPolicy load_policy(const std::string& path);

}  // namespace v0_1
}  // namespace cavs
