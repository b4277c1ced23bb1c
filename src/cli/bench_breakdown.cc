#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "cli/bench.h"
#include "cli/usage_error.h"
#include "measure/breakdown.h"
#include "support/table.h"

namespace cavs::cli {
namespace {

constexpr std::string_view kBinaryTrees = "binary-trees";

/// One measurement: the number that differs between measurements, and the arguments.
struct Setting {
  int value = 0;  // number of leaves, or batch size
  BenchArguments arguments;
};

/// Returns the spec with leaves=N replaced by the given number of leaves.
std::string with_leaves(const std::string& spec, int leaves) {
  std::string changed = fmt::format("{}:leaves={}", kBinaryTrees, leaves);
  const auto colon = std::min(spec.find(':'), spec.size());
  std::string_view rest = std::string_view(spec).substr(std::min(colon + 1, spec.size()));
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    if (!item.starts_with("leaves=")) changed += "," + std::string(item);
  }
  return changed;
}

/// True if the settings differ in the number of leaves (complete binary trees); false if they differ in the batch size.
bool over_leaves(const BenchArguments& arguments) {
  const std::string spec = data_spec(arguments);
  return std::string_view(spec).substr(0, spec.find(':')) == kBinaryTrees;
}

std::vector<Setting> settings(const BenchArguments& arguments, std::int32_t samples) {
  std::vector<Setting> all;
  if (over_leaves(arguments)) {
    for (int leaves = 32; leaves <= 1024; leaves *= 2) {
      all.push_back({leaves, arguments});
      all.back().arguments.data = with_leaves(data_spec(arguments), leaves);
    }
    return all;
  }
  for (int size = 1; size <= std::min(256, samples); size *= 2) {
    all.push_back({size, arguments});
    all.back().arguments.batch_size = size;
  }
  return all;
}

std::vector<std::string> modes(const BenchArguments& arguments) {
  if (arguments.given("--mode")) return {arguments.mode};
  return {"train", "infer"};
}

/// @param learned  gets the policy that the first measurement learns, if --policy learns; later measurements use it.
Breakdown measure(const Setting& setting, const std::string& mode, const Dataset& data, bool serial,
                  std::shared_ptr<const LearnedPolicy>& learned) {
  const Model model = find_model(setting.arguments.model).make(model_config(setting.arguments, data));
  BenchmarkOptions options = benchmark_options(setting.arguments, data, learned);
  learned = options.train.session.learned;
  options.training = mode == "train";
  return measure_breakdown(model, data.train, options, serial);
}

void print_table(const std::string& axis, const std::vector<int>& values, const std::vector<BreakdownPanel>& panels) {
  std::vector<std::vector<std::string>> rows{{"mode", axis}};
  for (std::string_view name : kPartNames) rows[0].push_back(fmt::format("{:>16}", name));
  for (const char* name : {"ms/epoch", "samples/s", "vs serial"}) rows[0].push_back(fmt::format("{:>11}", name));
  const bool serial = panels.front().columns.front().serial_ratio > 0;
  if (!serial) rows[0].pop_back();
  for (const BreakdownPanel& panel : panels)
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Breakdown& b = panel.columns[i];
      auto& row = rows.emplace_back(std::vector{panel.name, fmt::format("{}", values[i])});
      for (std::size_t p = 0; p < kPartNames.size(); ++p)
        row.push_back(fmt::format("{:>9.2f} {:>4.1f} %", b.ms[p], b.percent(p)));
      row.push_back(fmt::format("{:>11.2f}", b.total_ms));
      row.push_back(fmt::format("{:>11.1f}", b.samples_per_second));
      if (serial) row.push_back(fmt::format("{:>10.2f}x", b.serial_ratio));
    }
  fmt::print("{}", align_columns(rows));
}

Json to_json(const std::string& mode, const char* axis, int value, const Breakdown& b) {
  Json json{{"mode", mode}, {axis, value}};
  for (std::size_t p = 0; p < kPartNames.size(); ++p) {
    json[fmt::format("{}_ms", kPartNames[p])] = b.ms[p];
    json[fmt::format("{}_percent", kPartNames[p])] = b.percent(p);
  }
  json.update(Json{{"total_ms", b.total_ms}, {"epoch_ms", b.epoch_ms}, {"samples_per_second", b.samples_per_second}});
  if (b.serial_ratio > 0) json["serial_ratio"] = b.serial_ratio;
  json["rounds"] = b.rounds;
  return json;
}

}  // namespace

void run_breakdown(const BenchArguments& arguments) {
  const bool leaves = over_leaves(arguments);
  if (!leaves && arguments.given("--batch-size"))
    throw UsageError("bench", "with these data --breakdown goes over the batch sizes itself; leave --batch-size out");
  Dataset data = leaves ? Dataset() : load_training_data(arguments);
  std::vector<BreakdownPanel> panels;
  for (const std::string& mode : modes(arguments)) panels.push_back({mode, {}});
  std::vector<int> values;
  Json rows = Json::array();
  std::shared_ptr<const LearnedPolicy> learned;
  for (const Setting& setting : settings(arguments, leaves ? 0 : data.train.size())) {
    if (leaves) data = load_training_data(setting.arguments);
    values.push_back(setting.value);
    spdlog::info("{} {}: {}", leaves ? "leaves" : "batch size", setting.value, describe(data.train));
    for (BreakdownPanel& panel : panels) {
      panel.columns.push_back(measure(setting, panel.name, data, !leaves, learned));
      rows.push_back(to_json(panel.name, leaves ? "leaves" : "batch_size", setting.value, panel.columns.back()));
    }
  }
  const char* axis = leaves ? "leaves" : "batch size";
  const std::string title = fmt::format("{}, hidden {}: where an epoch's time goes", arguments.model, arguments.hidden);
  if (!arguments.svg.empty()) write_file("--svg", arguments.svg, to_svg(breakdown_chart(title, axis, values, panels)));
  if (!arguments.json) return print_table(axis, values, panels);
  Json json = bench_header(arguments);
  json.erase("mode");
  if (!leaves) json.erase("batch_size");
  json.update(Json{{"hidden", arguments.hidden}, {"embedding", arguments.embedding}, {"results", rows}});
  print_json(json);
}

}  // namespace cavs::cli
