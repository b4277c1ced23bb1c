#include <algorithm>
#include <cmath>
#include <numeric>

#include "schedule/fsm.h"
#include "schedule/policies.h"
#include "schedule/schedule.h"
#include "support/check.h"
#include "support/philox.h"

namespace cavs::inline v0_1 {
namespace {

enum Stream : std::uint64_t { kSamples, kExploration };

/// Tabular Q-learning with N-step bootstrapping (ED-Batch, section 2.3), as a policy. Each trial makes one schedule.
class Learner : public Policy {
 public:
  explicit Learner(const LearnOptions& options)
      : options_(options), encoder_(options), random_(options.seed, RandomPurpose::kPolicy, kExploration) {}

  bool needs_own_frontier() const override { return true; }

  Choice choose(const Frontier& frontier) override {
    const std::size_t entry = entry_of(frontier);
    const Entry& here = entries_[entry];
    if (greedy) return {here.state[here.best()]};
    learn(here.q[here.best()]);
    const auto actions = static_cast<std::uint32_t>(here.q.size());
    const std::size_t action = random_.uniform() < options_.epsilon ? random_.below(actions) : here.best();
    const std::int32_t type = here.state[action];
    trail_.push_back({entry, action, reward(frontier.types[type])});
    return {type};
  }

  /// Ends the trial. Learns from its last steps, whose returns are known without Q (the table of expected returns).
  void end_trial() {
    while (learned_ < trail_.size()) learn(0, true);
    trail_.clear();
    learned_ = 0;
  }

  /// Returns the best choice in every state that occurred.
  std::vector<LearnedPolicy::Rule> rules() const {
    std::vector<LearnedPolicy::Rule> rules;
    for (const Entry& entry : entries_)
      if (entry.q.size() > 1)
        rules.push_back({{entry.state.begin(), entry.state.end() - 1}, entry.state.back(), entry.state[entry.best()]});
    return rules;
  }

  bool greedy = false;

 private:
  struct Entry {
    FrontierState state;
    std::vector<double> q;  // expected return of choosing each ready type, in the order of `state`
    std::size_t best() const { return std::max_element(q.begin(), q.end()) - q.begin(); }
  };
  struct Step {
    std::size_t entry, action;
    double reward;
  };

  double reward(const Frontier::Type& type) const { return -1 + options_.reward_weight * ready_ratio(type); }

  /// Returns a state's entry, and adds it if it is new. A new entry starts with the rewards of its choices, so first
  /// trials choose as policy `ratio` does.
  std::size_t entry_of(const Frontier& frontier) {
    const FrontierState& state = encoder_.encode(frontier);
    const auto [found, is_new] = numbers_.try_emplace(state, entries_.size());
    if (is_new) {
      Entry& entry = entries_.emplace_back(Entry{state, {}});
      for (std::size_t i = 0; i + 1 < state.size(); ++i) entry.q.push_back(reward(frontier.types[state[i]]));
    }
    return found->second;
  }

  /// Moves Q of the oldest step with N later steps towards its return. If `at_end`, it is the oldest unlearned step.
  void learn(double rest, bool at_end = false) {
    const auto n = static_cast<std::size_t>(options_.steps);
    if (!at_end && trail_.size() < learned_ + n) return;
    for (std::size_t i = trail_.size(); i-- > learned_;) rest = trail_[i].reward + options_.discount * rest;
    const Step& step = trail_[learned_++];
    double& q = entries_[step.entry].q[step.action];
    q += options_.learning_rate * (rest - q);
  }

  LearnOptions options_;
  StateEncoder encoder_;
  Random random_;
  std::unordered_map<FrontierState, std::size_t, FrontierStateHash> numbers_;
  std::vector<Entry> entries_;
  std::vector<Step> trail_;  // steps of the current trial
  std::size_t learned_ = 0;  // number of steps whose Q has been updated
};

/// Draws minibatches at random, no sample twice: the first to learn from, the others held out, while samples last.
std::vector<Minibatch> draw_minibatches(const BoundGraphs& graphs, const LearnOptions& options) {
  std::vector<std::int32_t> all(graphs.graphs().size());
  std::iota(all.begin(), all.end(), 0);
  const std::int64_t size = std::ssize(all), samples = std::min(options.samples, size);
  Random random(options.seed, RandomPurpose::kPolicy, kSamples);
  std::vector<Minibatch> minibatches(std::min(options.held_out + 1, size / samples));
  std::int64_t i = 0;
  for (Minibatch& minibatch : minibatches) {
    minibatch.clear(graphs);
    for (const std::int64_t end = i + samples; i < end; ++i) {
      std::swap(all[i], all[i + random.below(static_cast<std::uint32_t>(size - i))]);
      minibatch.add(all[i]);
    }
  }
  return minibatches;
}

/// Number of tasks of a policy on the first minibatch, and on all minibatches.
struct Score {
  std::int64_t first = 0, all = 0;
};

template <typename Tasks>
Score score_of(const std::vector<Minibatch>& minibatches, Tasks tasks) {
  Score score;
  for (const Minibatch& minibatch : minibatches) {
    const std::int64_t here = tasks(minibatch);
    if (&minibatch == &minibatches.front()) score.first = here;
    score.all += here;
  }
  return score;
}

Score score_of(const std::vector<Minibatch>& minibatches, Policy& policy, Scheduler& scheduler) {
  return score_of(minibatches, [&](const Minibatch& minibatch) { return run_policy(minibatch, policy, scheduler); });
}

LearnedPolicy empty_policy(const std::string& model, const BoundGraphs& graphs, const LearnOptions& options) {
  LearnedPolicy policy{.model = model,
                       .fingerprint = graphs.program().fingerprint,
                       .types = {},
                       .options = options,
                       .rules = {},
                       .record = {}};
  for (const TypeProgram& type : graphs.program().types) policy.types.push_back(type.function.name);
  return policy;
}

}  // namespace

void check_learning(const LearnOptions& o, const std::string& where) {
  const auto at_least_one = [&](std::int64_t value, const char* name) {
    user_check(value >= 1, "{}: {} is {}; expected at least 1", where, name, value);
  };
  at_least_one(o.samples, "samples");
  at_least_one(o.trials, "trials");
  at_least_one(o.check_every, "check_every");
  at_least_one(o.steps, "steps");
  at_least_one(o.phases, "phases");
  user_check(o.held_out >= 0 && o.held_out <= 1'000, "{}: held_out is {}; expected 0 to 1000", where, o.held_out);
  const auto share = [&](double value, const char* name) {
    user_check(value >= 0 && value <= 1, "{}: {} is {}; expected 0 to 1", where, name, value);
  };
  share(o.learning_rate, "learning_rate");
  share(o.discount, "discount");
  share(o.epsilon, "epsilon");
  user_check(o.reward_weight > 0 && std::isfinite(o.reward_weight),
             "{}: reward_weight is {}; expected a number above 0", where, o.reward_weight);
  user_check(o.phases <= 1'000'000 && o.steps <= 1'000'000, "{}: phases is {}, steps {}; expected at most 1000000",
             where, o.phases, o.steps);
}

LearnedPolicy learn_policy(const std::string& model, const BoundGraphs& graphs, const LearnOptions& options) {
  check_learning(options, "learning a policy");
  user_check(graphs.graphs().size() > 0, "learning a policy: the data have no sample; expected at least one");
  const std::vector<Minibatch> minibatches = draw_minibatches(graphs, options);
  Scheduler scheduler;
  Score tasks = score_of(minibatches, *make_ratio(), scheduler);
  const Score bound = score_of(minibatches, lower_bound);
  LearnedPolicy policy = empty_policy(model, graphs, options);
  LearnedPolicy::Record& record = policy.record;
  record.vertices = minibatches.front().vertices();
  record.lower_bound = bound.first;
  record.ratio_tasks = tasks.first;
  const std::int64_t ratio_tasks = tasks.all;
  Learner learner(options);
  while (record.trials < options.trials) {
    run_policy(minibatches.front(), learner, scheduler);
    learner.end_trial();
    const bool last = ++record.trials == options.trials;
    if (!last && record.trials % options.check_every != 0) continue;
    learner.greedy = true;
    const Score found = score_of(minibatches, learner, scheduler);
    learner.greedy = false;
    if (found.all < tasks.all || (found.all == tasks.all && policy.rules.empty())) {
      tasks = found;
      policy.rules = learner.rules();
    }
    if (tasks.all == bound.all && (!policy.rules.empty() || ratio_tasks == bound.all)) break;
  }
  record.tasks = tasks.first;
  return policy;
}

}  // namespace cavs::inline v0_1
