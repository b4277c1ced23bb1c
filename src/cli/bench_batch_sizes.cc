#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <span>

#include "cavs/error.h"
#include "cli/bench.h"
#include "measure/ablation.h"
#include "support/table.h"

namespace cavs::cli {
namespace {

/// The speed at one batch size.
struct BatchSpeed {
  int batch_size;
  std::int64_t rounds;
  AblationRow row;

  double median_ratio() const { return row.median_ms / row.step_ms; }
};

/// Measures each batch size. Stops at the first size that exceeds the number of samples or needs too much memory.
std::vector<BatchSpeed> measure(const BenchArguments& arguments, const Dataset& data) {
  const Model model = find_model(arguments.model).make(model_config(arguments, data));
  BenchmarkOptions options = benchmark_options(arguments, data);
  options.min_seconds = 1;
  std::vector<BatchSpeed> speeds;
  for (int size : arguments.batch_sizes) {
    if (size > data.train.size() && !speeds.empty()) break;
    try {
      options.train.batch_size = size;
      const Variant variant{.name = "", .options = options.train};
      const Ablation measured = ablate(model, data.train, options, std::span(&variant, 1));
      speeds.push_back({size, measured.rounds, measured.rows.front()});
    } catch (const UserError& error) {
      if (speeds.empty()) throw;
      spdlog::warn("batch sizes from {} on are skipped: {}", size, error.what());
      break;
    }
  }
  return speeds;
}

void print_table(const BenchArguments& arguments, const std::vector<BatchSpeed>& speeds, const BatchSpeed& best) {
  std::vector<std::vector<std::string>> rows{
      {"batch size", fmt::format("{:>11}", "samples/s"), "tasks", "median/best"}};
  for (const BatchSpeed& s : speeds)
    rows.push_back({fmt::format("{:>10}", s.batch_size), fmt::format("{:>11.1f}", s.row.samples_per_second),
                    fmt::format("{:>7.1f}", s.row.tasks), fmt::format("{:>11.2f}", s.median_ratio())});
  fmt::print("{}best: {:.1f} samples/s at batch size {} ({} time)\n", align_columns(rows), best.row.samples_per_second,
             best.batch_size, clock_name(arguments));
}

}  // namespace

void run_batch_sizes(const BenchArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  spdlog::info("{}: {}", data_spec(arguments), describe(data.train));
  const std::vector<BatchSpeed> speeds = measure(arguments, data);
  const BatchSpeed& best =
      *std::ranges::max_element(speeds, {}, [](const BatchSpeed& s) { return s.row.samples_per_second; });
  if (!arguments.json) return print_table(arguments, speeds, best);
  Json rows = Json::array();
  for (const BatchSpeed& s : speeds)
    rows.push_back({{"batch_size", s.batch_size},
                    {"samples_per_second", s.row.samples_per_second},
                    {"median_ratio", s.median_ratio()},
                    {"tasks", s.row.tasks},
                    {"rounds", s.rounds}});
  Json json = bench_header(arguments);
  json["batch_size"] = best.batch_size;
  json.update(Json{{"hidden", arguments.hidden},
                   {"embedding", model_config(arguments, data).embedding},
                   {"samples", data.train.size()},
                   {"vertices", data.train.vertices()},
                   {"samples_per_second", best.row.samples_per_second},
                   {"results", rows}});
  print_json(json);
}

}  // namespace cavs::cli
