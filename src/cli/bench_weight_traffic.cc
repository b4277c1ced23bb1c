#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/bench.h"
#include "measure/weight_traffic.h"
#include "support/table.h"

namespace cavs::cli {
namespace {

constexpr double kMiB = 1 << 20;

/// Table I of VPPS: a Tree-LSTM with hidden size 256, on 128 inputs of SST. A megabyte in the table is 2^20 bytes.
struct Published {
  int batch_size;
  double vpps, dynet;
};
constexpr std::array<Published, 8> kTableOne{{{1, 352.62, 2820},
                                              {2, 176.31, 2180},
                                              {4, 88.15, 1790},
                                              {8, 44.07, 1480},
                                              {16, 22.03, 1250},
                                              {32, 11.01, 1040},
                                              {64, 5.50, 868},
                                              {128, 2.75, 692}}};

std::string number(double mib) { return fmt::format("{:>10.2f}", mib); }
std::string number(std::int64_t bytes) { return number(static_cast<double>(bytes) / kMiB); }

void print_table(const std::vector<WeightTraffic>& all, std::int64_t samples) {
  const auto published = static_cast<std::size_t>(samples == 128 ? kTableOne.size() : 0);
  std::vector<std::vector<std::string>> rows{{"batch size", "persistent", "  of tasks", "   batched", "  of tasks"}};
  if (published > 0) rows[0].insert(rows[0].end(), {"     VPPS*", " DyNet-AB*"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const WeightTraffic& t = all[i];
    auto& row = rows.emplace_back(std::vector{fmt::format("{:>10}", t.batch_size), number(t.persistent.bytes),
                                              number(t.persistent.task_bytes), number(t.batched.bytes),
                                              number(t.batched.task_bytes)});
    if (i < published) row.insert(row.end(), {number(kTableOne[i].vpps), number(kTableOne[i].dynet)});
  }
  fmt::print("MiB of weights loaded for {} samples, by scripts of persistent processors and by engine batched\n{}",
             samples, align_columns(rows));
  if (published > 0) fmt::print("* as published in Table I of VPPS: a Tree-LSTM with hidden size 256 on a Titan V\n");
}

Json to_json(const inspect::WeightLoads& traffic) {
  return {{"loaded_weight_bytes", traffic.bytes}, {"loaded_task_weight_bytes", traffic.task_bytes}};
}

}  // namespace

void run_weight_traffic(const BenchArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  const Model model = find_model(arguments.model).make(model_config(arguments, data));
  spdlog::info("{}: {}", data_spec(arguments), describe(data.train));
  const BenchmarkOptions options = benchmark_options(arguments, data);
  std::vector<WeightTraffic> all;
  for (const Published& published : kTableOne)
    if (all.empty() || published.batch_size <= data.train.size())
      all.push_back(measure_weight_traffic(model, data.train, options, published.batch_size));
  if (!arguments.json) return print_table(all, data.train.size());
  Json rows = Json::array();
  for (const WeightTraffic& t : all)
    rows.push_back({{"batch_size", t.batch_size},
                    {"steps", t.steps},
                    {"persistent", to_json(t.persistent)},
                    {"batched", to_json(t.batched)}});
  Json json = bench_header(arguments);
  json.erase("batch_size");
  json.erase("engine");
  json.erase("clock");
  json.update(Json{{"hidden", arguments.hidden},
                   {"embedding", arguments.embedding},
                   {"samples", data.train.size()},
                   {"results", std::move(rows)}});
  print_json(json);
}

}  // namespace cavs::cli
