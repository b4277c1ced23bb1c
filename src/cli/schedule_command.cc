#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>

#include "cavs/compile.h"
#include "cavs/inspect.h"
#include "cavs/session.h"
#include "cli/commands.h"
#include "cli/option_group.h"
#include "cli/options.h"
#include "cli/output_files.h"
#include "cli/policy_option.h"
#include "cli/report.h"
#include "cli/validators.h"
#include "measure/compare_policies.h"
#include "support/table.h"

namespace cavs::cli {
namespace {

constexpr const char* kScheduleFooter =
    "Samples are used in file order. No policy needs fewer tasks than the lower bound, which is the sum over\n"
    "types of the largest number of vertices of that type on any path. --compare learns 'fsm' on the data,\n"
    "once for each encoding of its states. Drawings show the task of a vertex by its number and a colour.\n"
    "\n"
    "Examples:\n"
    "  $ cavs schedule tree-lstm --batch-size 1 --vertices\n"
    "  $ cavs schedule tree-lstm-binary --data sst:data/sst --policy serial --json\n"
    "  $ cavs schedule tree-lstm-binary --data sst:data/sst --compare\n"
    "  $ cavs schedule tree-lstm-binary --batch-size 1 --policy agenda --svg agenda.svg";

struct ScheduleArguments : Options {
  bool vertices = false, memory = false, compare = false, dot = false, script = false, check_script = false;
  int processors = 2;  // number of cores for which the script is made
  std::string svg;
};

void print_comparison(const ScheduleArguments& arguments, const std::shared_ptr<const Program>& program,
                      const std::shared_ptr<const BoundGraphs>& graphs, std::span<const std::int32_t> samples) {
  const inspect::ScheduledBatch batch(program, graphs, samples);
  const std::int64_t bound = batch.lower_bound();
  const auto all = compare_policies(arguments.model, program, graphs, samples, {.seed = seed_of(arguments)});
  if (arguments.json) {
    Json rows = Json::array();
    for (const PolicyFigures& f : all) {
      Json row{{"policy", f.policy}, {"tasks", f.tasks}, {"ns_per_vertex", f.ns_per_vertex}};
      if (!f.encoding.empty())
        row.update(Json{{"encoding", f.encoding}, {"learn_seconds", f.learn_seconds}, {"fallbacks", f.fallbacks}});
      rows.push_back(std::move(row));
    }
    return print_json({{"model", arguments.model},
                       {"data", data_spec(arguments)},
                       {"samples", samples.size()},
                       {"vertices", batch.vertices()},
                       {"lower_bound", bound},
                       {"policies", std::move(rows)}});
  }
  std::vector<std::vector<std::string>> table{
      {"policy", fmt::format("{:>8}", "tasks"), "over bound", "  ns/vertex", "s to learn", "fallbacks"}};
  for (const PolicyFigures& f : all) {
    const double over = 100.0 * static_cast<double>(f.tasks - bound) / static_cast<double>(bound);
    auto& row = table.emplace_back(std::vector{
        f.encoding.empty() ? f.policy : fmt::format("{}, {}", f.policy, f.encoding), fmt::format("{:>8}", f.tasks),
        fmt::format("{:>8.1f} %", over), fmt::format("{:>11.1f}", f.ns_per_vertex)});
    if (f.encoding.empty()) continue;
    row.push_back(fmt::format("{:>10.3f}", f.learn_seconds));
    row.push_back(fmt::format("{:>9}", f.fallbacks));
  }
  fmt::print("{}lower bound {}; {} samples, {} vertices\n", align_columns(table), bound, samples.size(),
             batch.vertices());
}

void run(const ScheduleArguments& arguments) {
  OutputFiles files(arguments);
  files.writes("--svg", arguments.svg);
  files.claim();
  const Dataset data = load_training_data(arguments);
  const Model model = find_model(arguments.model).make(model_config(arguments, data));
  const auto program =
      compile(model, {.pushes = std::vector<std::string>(), .disabled_passes = arguments.disabled});  // as in training
  const auto bound = bind_graphs(program, data.train);
  std::vector<std::int32_t> samples(std::min(data.train.size(), arguments.batch_size));
  std::iota(samples.begin(), samples.end(), 0);
  if (arguments.compare) return print_comparison(arguments, program, bound, samples);
  const auto learned = learned_policy(arguments, model, &data.train);
  const inspect::ScheduledBatch batch(program, bound, samples, arguments.policy, learned.get());
  if (!arguments.svg.empty())
    write_file("--svg", arguments.svg,
               batch.to_svg(fmt::format("{}, {}: {} tasks", arguments.model, arguments.policy, batch.tasks().size())));
  if (arguments.dot) return fmt::print("{}", batch.to_dot());
  if (arguments.json) {
    Json json{{"model", arguments.model}, {"data", data_spec(arguments)}, {"policy", arguments.policy}};
    json.update(Json::parse(batch.to_json()));
    return print_json(json);
  }
  if (arguments.vertices) fmt::print("{}\n", batch.vertices_to_text());
  fmt::print("{}", batch.to_text());
  if (batch.fallbacks() > 0)
    fmt::print("{} tasks were chosen by 'ratio', because nothing was learned for their states\n", batch.fallbacks());
  if (arguments.memory) fmt::print("\n{}", batch.memory_to_text());
  if (arguments.script) fmt::print("\n{}", batch.script_to_text(arguments.processors));
  if (arguments.check_script) {
    batch.check_script(arguments.processors);
    fmt::print("the script is correct: every wait can be satisfied, and every read comes after its write\n");
  }
}

}  // namespace

Action declare_schedule(CLI::App& app) {
  auto arguments = std::make_shared<ScheduleArguments>();
  add_model(app, *arguments);
  const OptionGroup output(app, "Output");
  output.add_flag("--vertices", arguments->vertices, "Also print the vertices of each task");
  output.add_flag("--memory", arguments->memory, "Also print the memory plan of all dynamic tensors (for training)");
  output.add_flag("--script", arguments->script,
                  "Also print the script of a training step: what each processor would execute if it kept its part of "
                  "the weights on chip (VPPS)");
  output.add_flag("--check-script", arguments->check_script, "Also check the script for races and deadlocks");
  app.add_option("--processors", arguments->processors, "Number of cores of --script and --check-script")
      ->check(integer(1, 1024))
      ->group("Output");
  CLI::Option* compare =
      output.add_flag("--compare", arguments->compare,
                      "Print only a comparison of all policies: number of tasks, lower bound and time");
  output.add_flag("--dot", arguments->dot, "Draw the minibatch and its tasks as a graph for Graphviz")
      ->excludes(compare);
  output.add("--svg", arguments->svg, "FILE", file_name(), "Draw the minibatch and its tasks (SVG)")->excludes(compare);
  add_overwrite(app, *arguments);
  add_json(app, *arguments);
  add_data(app, *arguments, true);
  add_sizes(app, *arguments);
  add_batch_size(app, *arguments);
  add_seed(app, *arguments, "Seed of generated data (default: 1)");
  add_policy(app, *arguments);
  add_passes(app, *arguments);
  app.footer(kScheduleFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
