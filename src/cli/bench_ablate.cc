#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "cli/bench.h"
#include "measure/ablation.h"

namespace cavs::cli {
namespace {

void print_table(const BenchArguments& arguments, const std::vector<Ablation>& ablations) {
  const std::vector<int>& sizes = arguments.sizes;
  fmt::print("{:<20}", "samples/s by --hidden");
  for (int size : sizes) fmt::print("{:>12}{:>8}", size, "ratio");
  fmt::print("\n");
  double min = 0, max = 0;
  for (std::size_t v = 0; v < ablations.front().rows.size(); ++v) {
    fmt::print("{:<20}", ablations.front().rows[v].name);
    for (const Ablation& ablation : ablations) {
      const AblationRow& row = ablation.rows[v];
      fmt::print("{:>12.{}f}{:>8.2f}", row.samples_per_second, row.samples_per_second < 100 ? 1 : 0, row.ratio);
      const double noise = row.median_ms / row.step_ms;
      min = min == 0 ? noise : std::min(min, noise);
      max = std::max(max, noise);
    }
    fmt::print("\n");
  }
  fmt::print("\n{} time of the best round; the median round took {:.2f} to {:.2f} times as long\n",
             clock_name(arguments), min, max);
}

Json to_json(const Ablation& ablation, const std::vector<Variant>& variants) {
  Json rows = Json::array();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const AblationRow& row = ablation.rows[v];
    rows.push_back({{"name", row.name},
                    {"disabled", variants[v].options.disabled_passes},
                    {"policy", variants[v].options.session.policy},
                    {"samples_per_second", row.samples_per_second},
                    {"ratio", row.ratio},
                    {"step_ms", row.step_ms},
                    {"median_step_ms", row.median_ms},
                    {"loss", row.loss}});
  }
  return rows;
}

/// Returns the options for this hidden size. The embedding has the same size unless --embedding is given.
Options of_size(const BenchArguments& arguments, int hidden) {
  Options options = arguments;
  options.hidden = hidden;
  if (!arguments.given("--embedding")) options.embedding = hidden;
  return options;
}

}  // namespace

void run_ablation(const BenchArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  const BenchmarkOptions options = benchmark_options(arguments, data);
  const std::vector<Variant> variants = ablation_variants(options.train);
  std::vector<Ablation> ablations;
  Json results = Json::array();
  for (int hidden : arguments.sizes) {
    spdlog::info("hidden {}: {} variants on {}", hidden, variants.size(), describe(data.train));
    const Options sized = of_size(arguments, hidden);
    const Model model = find_model(arguments.model).make(model_config(sized, data));
    ablations.push_back(ablate(model, data.train, options, variants));
    results.push_back({{"hidden", hidden},
                       {"embedding", sized.embedding},
                       {"rounds", ablations.back().rounds},
                       {"variants", to_json(ablations.back(), variants)}});
  }
  const std::string title = fmt::format("{}, {}: each optimisation alone, and all", arguments.model,
                                        options.training ? "training" : "inference");
  if (!arguments.svg.empty())
    write_file("--svg", arguments.svg, to_svg(ablation_chart(title, arguments.sizes, ablations)));
  if (!arguments.json) return print_table(arguments, ablations);
  Json json = bench_header(arguments);
  json["results"] = results;
  print_json(json);
}

}  // namespace cavs::cli
