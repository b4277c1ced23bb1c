#include "measure/compare_policies.h"

#include <chrono>

namespace cavs::inline v0_1 {

std::vector<PolicyFigures> compare_policies(const std::string& model, const std::shared_ptr<const Program>& program,
                                            const std::shared_ptr<const BoundGraphs>& graphs,
                                            std::span<const std::int32_t> samples, const LearnOptions& options) {
  const auto measure = [&](std::string_view policy, const LearnedPolicy* learned = nullptr) {
    PolicyFigures figures{std::string(policy), {}};
    const inspect::ScheduledBatch batch(program, graphs, samples, figures.policy, learned);
    figures.tasks = std::ssize(batch.tasks());
    figures.fallbacks = batch.fallbacks();
    figures.ns_per_vertex = inspect::scheduling_seconds(*program, *graphs, samples, figures.policy, learned) * 1e9 /
                            static_cast<double>(batch.vertices());
    return figures;
  };
  std::vector<PolicyFigures> all;
  for (const PolicyInfo& policy : policies())
    if (!policy.learned) all.push_back(measure(policy.name));
  for (const StateEncoding encoding :
       {StateEncoding::kBase, StateEncoding::kMax, StateEncoding::kSort, StateEncoding::kPhase}) {
    LearnOptions own = options;
    own.encoding = encoding;
    const auto start = std::chrono::steady_clock::now();
    const LearnedPolicy learned = learn_policy(model, *graphs, own);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    all.push_back(measure("fsm", &learned));
    all.back().encoding = encoding_name(encoding);
    all.back().learn_seconds = seconds.count();
  }
  return all;
}

}  // namespace cavs::inline v0_1
