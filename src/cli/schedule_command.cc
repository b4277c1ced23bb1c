#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/report.h"
#include "compile/program.h"
#include "graphs/minibatch.h"
#include "inspect/print_program.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace cavs::cli {
namespace {

constexpr const char* kScheduleFooter =
    "Samples are taken in file order. The lower bound is what no policy can go below: for each type of\n"
    "vertex the most of them on any path.\n"
    "\n"
    "Examples:\n"
    "  cavs schedule tree-lstm --batch-size 1 --vertices\n"
    "  cavs schedule tree-lstm-binary --data sst:data/sst --policy serial --json";

struct ScheduleArguments : Options {
  bool vertices = false, memory = false;
};

Json to_json(const Program& program, const Schedule& schedule, std::int64_t bound, std::int64_t bytes) {
  Json tasks = Json::array();
  for (const Task& task : schedule.tasks)
    tasks.push_back({{"type", program.types[task.type].function.name}, {"vertices", task.end - task.begin}});
  return {{"tasks", schedule.tasks.size()},
          {"lower_bound", bound},
          {"vertices", schedule.row.size()},
          {"memory_bytes", bytes},
          {"steps", tasks}};
}

void run(const ScheduleArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  const Model model = find_model(arguments.model).make(model_sizes(arguments, data));
  const auto program =
      compile(model, {.pushes = std::vector<std::string>(), .disabled_passes = arguments.disabled});  // as in training
  const BoundGraphs bound(*program, data.train);
  Minibatch minibatch;
  minibatch.clear(bound);
  for (std::int32_t s = 0; s < std::min(data.train.size(), arguments.batch_size); ++s) minibatch.add(s);
  Scheduler scheduler;
  Schedule schedule;
  make_schedule(minibatch, find_policy(arguments.policy), scheduler, schedule);
  const std::int64_t bound_tasks = lower_bound(minibatch);
  Plan plan;
  Planner(*program).make(minibatch, schedule, plan);
  if (arguments.json) {
    Json json{{"model", arguments.model}, {"data", data_spec(arguments)}, {"policy", arguments.policy}};
    json.update(to_json(*program, schedule, bound_tasks, plan.bytes()));
    return print_json(json);
  }
  if (arguments.vertices) fmt::print("{}\n", to_text(schedule, model.types()));
  fmt::print("{}", tasks_to_text(*program, schedule, bound_tasks));
  if (arguments.memory) fmt::print("\n{}", memory_to_text(*program, plan));
}

}  // namespace

Action declare_schedule(CLI::App& app) {
  auto arguments = std::make_shared<ScheduleArguments>();
  add_model(app, *arguments);
  app.add_flag("--vertices", arguments->vertices, "Also the vertices of every task")->group("Output");
  app.add_flag("--memory", arguments->memory, "Also where every dynamic tensor lies (for training)")->group("Output");
  add_json(app, *arguments);
  add_data(app, *arguments, true);
  add_sizes(app, *arguments);
  add_batch_size(app, *arguments);
  add_seed(app, *arguments, "Of generated data (default: 1)");
  add_policy(app, *arguments);
  add_passes(app, *arguments);
  app.footer(kScheduleFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
