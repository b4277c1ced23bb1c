#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/validators.h"
#include "inspect/benchmark.h"

namespace cavs::cli {
namespace {

constexpr const char* kFooter =
    "Samples come in file order, in whole epochs; one that warms up is not counted. --limit does not\n"
    "shrink the vocabulary. The parts of a step are measured in an epoch of its own, because measuring\n"
    "them costs time; flops, bytes and counts are a step's.\n"
    "\n"
    "Examples:\n"
    "  cavs bench tree-fc --mode infer\n"
    "  cavs bench tree-lstm-binary --data sst:data/sst --limit 512 --mode train --hidden 256 --embedding 256 --json";

struct BenchArguments : Options {
  std::string mode = "train";
  std::int64_t epochs = 0;
};

void print_table(const BenchmarkResult& r) {
  const auto line = [](const char* name, const std::string& value) { fmt::print("{:<20}{:>14}\n", name, value); };
  const auto part = [&](const char* name, double ms) {
    fmt::print("  {:<18}{:>14.4f}{:>8.1f} %\n", name, ms, 100 * ms / r.step_ms);
  };
  line("samples/s", fmt::format("{:.0f}", r.samples_per_second));
  line("vertices/s", fmt::format("{:.0f}", r.vertices_per_second));
  line("ms a step", fmt::format("{:.4f}", r.step_ms));
  part("pack", r.pack_ms), part("schedule", r.schedule_ms), part("plan", r.plan_ms);
  part("memory", r.memory_ms), part("compute", r.compute_ms), part("update", r.update_ms);
  line("tasks", fmt::format("{:.1f}", r.tasks));
  line("instructions", fmt::format("{:.1f}", r.instructions));
  line("MB moved", fmt::format("{:.3f}", r.bytes_moved / 1e6));
  line("Mflop", fmt::format("{:.3f}", r.flops / 1e6));
  line("Gflop/s", fmt::format("{:.1f}", r.flops / r.step_ms / 1e6));
  line("loss of first step", fmt::format("{:.6f}", r.loss));
}

void run(const BenchArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  const Model model = find_model(arguments.model).make(model_sizes(arguments, data));
  const std::int64_t steps = (data.train.size() + arguments.batch_size - 1) / arguments.batch_size;
  spdlog::info("{}: {}", data_spec(arguments), describe(data.train));
  const BenchmarkResult r = benchmark(model, data.train,
                                      {.training = arguments.mode == "train",
                                       .epochs = arguments.epochs,
                                       .train = train_options(arguments, steps, steps)});
  if (!arguments.json) return print_table(r);
  print_json({{"model", arguments.model},
              {"data", data_spec(arguments)},
              {"mode", arguments.mode},
              {"batch_size", arguments.batch_size},
              {"hidden", arguments.hidden},
              {"embedding", arguments.embedding},
              {"threads", arguments.threads},
              {"engine", arguments.engine},
              {"policy", arguments.policy},
              {"samples_per_second", r.samples_per_second},
              {"vertices_per_second", r.vertices_per_second},
              {"step_ms", r.step_ms},
              {"pack_ms", r.pack_ms},
              {"schedule_ms", r.schedule_ms},
              {"plan_ms", r.plan_ms},
              {"memory_ms", r.memory_ms},
              {"compute_ms", r.compute_ms},
              {"update_ms", r.update_ms},
              {"tasks", r.tasks},
              {"instructions", r.instructions},
              {"bytes_moved", r.bytes_moved},
              {"flops", r.flops},
              {"loss", r.loss},
              {"samples", r.samples},
              {"vertices", r.vertices},
              {"steps", r.steps},
              {"epochs", r.epochs},
              {"seconds", r.seconds}});
}

}  // namespace

Action declare_bench(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();
  add_model(app, *arguments);
  app.add_option("--mode", arguments->mode, "train, or infer: forward with the loss")
      ->type_name("NAME")
      ->check(one_of("mode", {"train", "infer"}))
      ->capture_default_str()
      ->group("Measurement");
  app.add_option("--epochs", arguments->epochs, "Epochs that are measured (default: enough for 2 seconds)")
      ->type_name("N")
      ->check(integer(1))
      ->group("Measurement");
  add_data(app, *arguments, true);
  add_sizes(app, *arguments);
  add_optimizer(app, *arguments, "sgd");
  add_batch_size(app, *arguments);
  add_seed(app, *arguments, "Of initial values, dropout and generated data (default: 1)");
  add_session(app, *arguments);
  add_passes(app, *arguments);
  add_json(app, *arguments);
  app.footer(kFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
