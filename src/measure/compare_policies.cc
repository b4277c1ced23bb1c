#include "measure/compare_policies.h"

#include <algorithm>
#include <chrono>

#include "schedule/fsm.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int kRepeats = 10;

PolicyFigures measure(const Minibatch& minibatch, Policy& policy) {
  Scheduler scheduler;
  Schedule schedule;
  PolicyFigures figures;
  make_schedule(minibatch, policy, scheduler, schedule);  // grows the arrays
  figures.fallbacks = policy.fallbacks();
  figures.tasks = static_cast<std::int64_t>(schedule.tasks.size());
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = Clock::now();
    make_schedule(minibatch, policy, scheduler, schedule);
    const double seconds = seconds_since(start);
    best = i == 0 ? seconds : std::min(best, seconds);
  }
  figures.ns_a_vertex = best * 1e9 / minibatch.vertices();
  return figures;
}

}  // namespace

std::vector<PolicyFigures> compare_policies(const std::string& model, const Minibatch& minibatch,
                                            const LearnOptions& options) {
  std::vector<PolicyFigures> all;
  for (const PolicyDef& def : all_policies()) {
    if (def.make == nullptr) continue;
    all.push_back(measure(minibatch, *def.make()));
    all.back().policy = def.name;
  }
  for (StateEncoding encoding :
       {StateEncoding::kBase, StateEncoding::kMax, StateEncoding::kSort, StateEncoding::kPhase}) {
    LearnOptions own = options;
    own.encoding = encoding;
    const auto start = Clock::now();
    FsmPolicy policy(learn_policy(model, *minibatch.bound, own));
    const double seconds = seconds_since(start);
    all.push_back(measure(minibatch, policy));
    all.back().policy = "fsm", all.back().encoding = encoding_name(encoding);
    all.back().learn_seconds = seconds;
  }
  return all;
}

}  // namespace cavs::inline v0_1
