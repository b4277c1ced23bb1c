#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/bench.h"
#include "measure/roofline.h"

namespace cavs::cli {
namespace {

void print_table(const Roofline& r, std::string_view clock) {
  fmt::print("{:<28}{:>8}{:>12}{:>10}{:>10}\n", "a step's products alone", "calls", "Mflop", "ms", "Gflop/s");
  const auto line = [](std::string_view name, double flops, double ms, const std::string& calls) {
    fmt::print("{:<28}{:>8}{:>12.2f}{:>10.4f}{:>10.1f}\n", name, calls, flops / 1e6, ms,
               ms > 0 ? flops / ms / 1e6 : 0.0);
  };
  for (const Roofline::Kind& kind : r.kinds)
    if (kind.calls > 0) line(kind.name, kind.flops, kind.ms, fmt::format("{:.1f}", kind.calls));
  line("all products", r.flops, r.product_ms, "");
  line("the step", r.flops, r.step_ms, "");
  fmt::print("\n{:<28}{:>8.1f} %  of the step's time\n", "product fraction", 100 * r.product_fraction);
  fmt::print("{:<28}{:>8.1f} %  of {:.1f} Gflop/s ({}, multiply-adds on registers)\n", "fraction of the peak",
             100 * r.fraction_of_peak, r.peak_gflops, r.instructions);
  fmt::print("{:<28}{:>8.2f}    median of the {} rounds to the best, of the step; {} time\n", "noise",
             r.median_step_ms / r.step_ms, r.rounds, clock);
}

Json to_json(const Roofline& r) {
  Json kinds = Json::array();
  for (const Roofline::Kind& kind : r.kinds)
    kinds.push_back({{"name", kind.name}, {"calls", kind.calls}, {"flops", kind.flops}, {"ms", kind.ms}});
  return {{"step_ms", r.step_ms},
          {"median_step_ms", r.median_step_ms},
          {"product_ms", r.product_ms},
          {"product_fraction", r.product_fraction},
          {"product_flops", r.flops},
          {"gflops", r.gflops},
          {"product_gflops", r.flops / r.product_ms / 1e6},
          {"peak_gflops", r.peak_gflops},
          {"fraction_of_peak", r.fraction_of_peak},
          {"instruction_set", r.instructions},
          {"products", kinds},
          {"rounds", r.rounds}};
}

}  // namespace

void run_roofline(const BenchArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  const Model model = find_model(arguments.model).make(model_config(arguments, data));
  spdlog::info("{}: {}", data_spec(arguments), describe(data.train));
  const Roofline r = measure_roofline(model, data.train, benchmark_options(arguments, data));
  if (!arguments.json) return print_table(r, clock_name(arguments));
  Json json = bench_header(arguments);
  json.update(Json{{"hidden", arguments.hidden}, {"embedding", arguments.embedding}});
  json.update(to_json(r));
  print_json(json);
}

}  // namespace cavs::cli
