#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/option_group.h"
#include "cli/output_files.h"
#include "cli/policy_option.h"
#include "cli/report.h"
#include "cli/validators.h"

namespace cavs::cli {
namespace {

constexpr const char* kLearnPolicyFooter =
    "Learns by scheduling one minibatch of the data many times. The policy depends only on the shapes of the\n"
    "graphs, so it can be used with any model size, any batch size and other data of the same kind. Every\n"
    "command uses it with --policy fsm:FILE; --policy fsm learns a policy at the start.\n"
    "\n"
    "Examples:\n"
    "  $ cavs learn-policy tree-lstm-binary --data sst:data/sst -o trees.policy.json\n"
    "  $ cavs train tree-lstm-binary --data sst:data/sst --policy fsm:trees.policy.json";

struct LearnPolicyArguments : Options {
  std::string output, encoding = "sort";
  LearnOptions learn;
};

void run(const LearnPolicyArguments& arguments) {
  OutputFiles files(arguments);
  files.writes("--output", arguments.output);
  files.claim();
  const Dataset data = load_training_data(arguments);
  const Model model = find_model(arguments.model).make(model_config(arguments, data));
  const auto bound = bind_graphs(compile(model, {.pushes = std::vector<std::string>()}), data.train);
  LearnOptions options = arguments.learn;
  options.encoding = find_encoding(arguments.encoding);
  options.seed = seed_of(arguments);
  const LearnedPolicy policy = learn_and_log(arguments.model, *bound, options);
  save_policy(arguments.output, policy);
  const LearnedPolicy::Record& r = policy.record;
  if (arguments.json)
    return print_json({{"model", arguments.model},
                       {"data", data_spec(arguments)},
                       {"encoding", arguments.encoding},
                       {"states", policy.rules.size()},
                       {"vertices", r.vertices},
                       {"trials", r.trials},
                       {"tasks", r.tasks},
                       {"lower_bound", r.lower_bound},
                       {"ratio_tasks", r.ratio_tasks},
                       {"policy", arguments.output}});
  fmt::print("{} tasks, lower bound {}, with 'ratio' {}; {} vertices, {} trials, {} states\npolicy: {}\n", r.tasks,
             r.lower_bound, r.ratio_tasks, r.vertices, r.trials, policy.rules.size(), arguments.output);
}

}  // namespace

Action declare_learn_policy(CLI::App& app) {
  auto arguments = std::make_shared<LearnPolicyArguments>();
  add_model(app, *arguments);
  OptionGroup(app, "Output")
      .add("-o,--output", arguments->output, "FILE", file_name(), "Write the policy to this file (JSON)")
      ->required();
  add_overwrite(app, *arguments);
  add_json(app, *arguments);
  add_data(app, *arguments, true);
  add_seed(app, *arguments, "Seed of drawn samples, learning and generated data (default: 1)");
  const OptionGroup learning(app, "Learning");
  learning.add_with_default(
      "--encoding", arguments->encoding, "NAME", one_of("encoding", {"base", "max", "sort", "phase"}),
      "Content of a state of the policy: base (the types that are ready), max (base and the most frequent type), "
      "sort (the ready types, ordered by count), phase (sort and the share of vertices done)");
  learning.add_with_default("--samples", arguments->learn.samples, "N", integer(1),
                            "Number of samples of the training minibatch, drawn at random");
  learning.add_with_default("--trials", arguments->learn.trials, "N", integer(1), "Maximum number of schedules to try");
  app.footer(kLearnPolicyFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
