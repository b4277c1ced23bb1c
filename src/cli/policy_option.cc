#include "cli/policy_option.h"

#include <spdlog/spdlog.h>

#include <chrono>

#include "cli/input_files.h"
#include "cli/report.h"
#include "cli/validators.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::cli {
namespace {

constexpr std::string_view kPolicyFile = "fsm:";

}  // namespace

CLI::Validator policy_name() {
  auto offered = names_of(policies());
  offered.emplace_back(kPolicyFile);
  return CLI::Validator(
      [](const std::string& text) {
        auto known = names_of(policies());
        if (text.starts_with(kPolicyFile) || std::ranges::find(known, text) != known.end()) return std::string();
        known.emplace_back("fsm:FILE");
        return fmt::format("unknown policy '{}'; {}", text, suggest(text, known));
      },
      "", CLI::detail::join(offered, " "));
}

std::string policy_file(const std::string& name) {
  return name.starts_with(kPolicyFile) ? name.substr(kPolicyFile.size()) : "";
}

LearnedPolicy learn_and_log(const std::string& name, const BoundGraphs& graphs, const LearnOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  LearnedPolicy policy = learn_policy(name, graphs, options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const LearnedPolicy::Record& r = policy.record;
  spdlog::info("learned a policy ({}) in {:.2f} s: {} trials; {} tasks, at least {} needed, {} with 'ratio'; {} states",
               encoding_name(options.encoding), seconds.count(), r.trials, r.tasks, r.lower_bound, r.ratio_tasks,
               policy.rules.size());
  return policy;
}

std::shared_ptr<const LearnedPolicy> learned_policy(const Options& options, const Model& model, const GraphSet* graphs,
                                                    const Checkpoint* checkpoint) {
  if (options.policy.starts_with(kPolicyFile))
    return std::make_shared<LearnedPolicy>(read_policy(policy_file(options.policy)));
  if (options.policy != "fsm") return nullptr;
  if (checkpoint != nullptr)
    if (const auto kept = checkpoint->extra.find(kPolicyKey); kept != checkpoint->extra.end())
      return std::make_shared<LearnedPolicy>(policy_from_json(kept->second, "the checkpoint's policy"));
  user_check(graphs != nullptr,
             "{} holds no learned policy; train with --policy fsm, or give --policy fsm:FILE ('cavs learn-policy')",
             options.model);
  const auto bound = bind_graphs(compile(model, {.pushes = std::vector<std::string>()}), *graphs);
  const ZooModel* zoo = checkpoint == nullptr ? nullptr : zoo_model_of(*checkpoint);
  return std::make_shared<LearnedPolicy>(
      learn_and_log(zoo == nullptr ? options.model : std::string(zoo->name), *bound, {.seed = seed_of(options)}));
}

}  // namespace cavs::cli
