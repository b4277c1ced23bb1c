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
    "Learns by scheduling one minibatch of the data again and again. The result depends on the forms of the\n"
    "graphs alone: it is good for any sizes of the model, any batch size and other data of the kind.\n"
    "--policy fsm:FILE uses it, in every command; --policy fsm learns one when it starts.\n"
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
  const LearnedPolicy policy = learn_aloud(arguments.model, *bound, options);
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
      .add("-o,--output", arguments->output, "FILE", file_name(), "Where to write the policy (JSON)")
      ->required();
  add_overwrite(app, *arguments);
  add_json(app, *arguments);
  add_data(app, *arguments, true);
  add_seed(app, *arguments, "Of the samples drawn, of learning and of generated data (default: 1)");
  const OptionGroup learning(app, "Learning");
  learning.add_with_default("--encoding", arguments->encoding, "NAME",
                            one_of("encoding", {"base", "max", "sort", "phase"}),
                            "States told apart: base (types that are ready), max (and the most frequent), sort (types "
                            "by count), phase (and how much is done)");
  learning.add_with_default("--samples", arguments->learn.samples, "N", integer(1),
                            "Samples of the minibatch that is learned on, drawn at random");
  learning.add_with_default("--trials", arguments->learn.trials, "N", integer(1), "Schedules that are tried at most");
  app.footer(kLearnPolicyFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
