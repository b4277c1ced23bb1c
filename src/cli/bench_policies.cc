#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/bench.h"
#include "measure/ablation.h"
#include "support/table.h"

namespace cavs::cli {
namespace {

std::vector<Variant> variants_of(const BenchArguments& arguments, const Dataset& data) {
  std::vector<Variant> variants;
  for (const std::string& policy : arguments.policies) {
    BenchArguments of = arguments;
    of.policy = policy;
    variants.push_back({policy, benchmark_options(of, data).train});
  }
  return variants;
}

void print_table(const BenchArguments& arguments, const Ablation& result) {
  std::vector<std::vector<std::string>> rows{
      {"policy", "tasks/step", fmt::format("{:>10}", "ms/step"), "samples/s", "speed", "tasks", "median/best"}};
  const AblationRow& first = result.rows.front();
  for (const AblationRow& row : result.rows)
    rows.push_back({row.name, fmt::format("{:>10.1f}", row.tasks), fmt::format("{:>10.3f}", row.step_ms),
                    fmt::format("{:>9.0f}", row.samples_per_second), fmt::format("{:>5.2f}", row.ratio),
                    fmt::format("{:>5.2f}", row.tasks / first.tasks),
                    fmt::format("{:>11.2f}", row.median_ms / row.step_ms)});
  fmt::print("{}speed and tasks are relative to '{}'; {} time\n", align_columns(rows), first.name,
             clock_name(arguments));
}

}  // namespace

void run_policies(const BenchArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  spdlog::info("{}: {}", data_spec(arguments), describe(data.train));
  const ModelConfig config = model_config(arguments, data);
  const Model model = find_model(arguments.model).make(config);
  const BenchmarkOptions options{.training = arguments.mode == "train", .epochs = arguments.epochs};
  const Ablation result = ablate(model, data.train, options, variants_of(arguments, data));
  if (!arguments.json) return print_table(arguments, result);
  Json rows = Json::array();
  for (const AblationRow& row : result.rows)
    rows.push_back({{"policy", row.name},
                    {"tasks", row.tasks},
                    {"step_ms", row.step_ms},
                    {"median_step_ms", row.median_ms},
                    {"samples_per_second", row.samples_per_second},
                    {"ratio", row.ratio}});
  Json json = bench_header(arguments);
  json.erase("policy");
  json.update(
      Json{{"hidden", config.hidden}, {"embedding", config.embedding}, {"rounds", result.rounds}, {"results", rows}});
  print_json(json);
}

}  // namespace cavs::cli
