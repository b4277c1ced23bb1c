#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/bench.h"
#include "measure/this_cpu.h"
#include "inspect/table.h"
#include "measure/batch_sizes.h"
#include "measure/planned_epoch.h"
#include "measure/predict_cpu.h"
#include "measure/stepper.h"

namespace cavs::cli {
namespace {

struct Compared {
  CoreSpeed speed;
  CpuPrediction predicted;
  BatchSpeed measured;
  double measured_us = 0;  // a step
};

Compared compare(const Model& model, const GraphSet& data, const BenchmarkOptions& options) {
  const int cores = options.train.session.threads;
  Compared c;
  c.speed = measure_cores(cores);
  const auto stepper = make_stepper(model, data, options.training, options.train);
  const WeightPlacement placement =
      place_weights(stepper->program(), this_cpu(cores));
  CpuPredictor predictor(stepper->program(), placement, c.speed);
  each_plan_of_epoch(stepper->program(), data, static_cast<int>(options.train.batch_size), options.train.session, cores,
                     [&](const Plan& plan) { predictor.add(plan); });
  c.predicted = predictor.mean();
  c.measured = measure_batch_size(model, data, options, static_cast<int>(options.train.batch_size));
  c.measured_us = data.size() * 1e6 / c.measured.samples_per_second / static_cast<double>(c.predicted.steps);
  return c;
}

void print_table(const Compared& c, std::string_view clock) {
  const CpuPrediction& p = c.predicted;
  std::vector<std::vector<std::string>> rows{{"microseconds a step", "       us", "      %"}};
  const auto line = [&](const char* name, double us) {
    rows.push_back({name, fmt::format("{:>9.1f}", us), fmt::format("{:>7.1f}", 100 * us / c.measured_us)});
  };
  line("products of tasks, bound by L2", p.cache_bound);
  line("products of tasks, bound by FMA", p.fma_bound);
  line("products before and after", p.outside);
  line("update", p.update);
  line("rendezvous", p.rendezvous);
  line("predicted", p.step_us());
  line("measured", c.measured_us);
  fmt::print("{}{} steps of {:.1f} products of tasks and {:.1f} rendezvous; measured: the best of {} rounds, {} time\n",
             align_columns(rows), p.steps, p.products, p.meetings, c.measured.rounds, clock);
  fmt::print(
      "{} core{}: {:.1f} Gflop/s each on registers, a rendezvous {:.2f} us; one row times a weight in cache, each:",
      c.speed.cores, c.speed.cores == 1 ? "" : "s", c.speed.gflops, c.speed.rendezvous_us);
  for (const CoreSpeed::Pass& pass : c.speed.passes) fmt::print(" {} KiB {:.0f} GB/s", pass.bytes >> 10, pass.gb_s);
  fmt::print("\n");
}

Json to_json(const Compared& c) {
  const CpuPrediction& p = c.predicted;
  Json passes = Json::array();
  for (const CoreSpeed::Pass& pass : c.speed.passes) passes.push_back({{"bytes", pass.bytes}, {"gb_s", pass.gb_s}});
  return {{"predicted_us",
           {{"tasks_cache_bound", p.cache_bound},
            {"tasks_fma_bound", p.fma_bound},
            {"outside", p.outside},
            {"update", p.update},
            {"rendezvous", p.rendezvous},
            {"step", p.step_us()}}},
          {"measured_us", c.measured_us},
          {"median_ratio", c.measured.median_ratio},
          {"rounds", c.measured.rounds},
          {"products_of_tasks", p.products},
          {"meetings", p.meetings},
          {"cores",
           {{"cores", c.speed.cores},
            {"gflops", c.speed.gflops},
            {"rendezvous_us", c.speed.rendezvous_us},
            {"passes", std::move(passes)}}}};
}

}  // namespace

void run_prediction(const BenchArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  const Model model = find_model(arguments.model).make(model_config(arguments, data));
  spdlog::info("{}: {}", data_spec(arguments), describe(data.train));
  BenchmarkOptions options = benchmark_options(arguments, data);
  options.train.session.engine = EngineKind::kPersistent;
  const Compared c = compare(model, data.train, options);
  if (!arguments.json) return print_table(c, clock_name(arguments));
  Json json = bench_header(arguments);
  json["engine"] = "persistent";
  json.update(Json{{"hidden", arguments.hidden}, {"embedding", arguments.embedding}});
  json.update(to_json(c));
  print_json(json);
}

}  // namespace cavs::cli
