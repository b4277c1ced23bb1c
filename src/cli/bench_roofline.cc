#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/bench.h"
#include "measure/roofline.h"

namespace cavs::cli {
namespace {

void print_products(const Roofline& r, std::string_view clock) {
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
  fmt::print("{:<28}{:>8.2f}    the median of {} rounds divided by the best round; {} time\n", "noise",
             r.median_step_ms / r.step_ms, r.rounds, clock);
}

/// Prints the results of a GPU. Shares of a peak are computed from the measured time.
void print_kernels(const Roofline& r, std::string_view clock) {
  const auto share = [](double amount, double ms, double giga) {
    return ms > 0 && giga > 0 ? fmt::format("{:.1f} %", 100 * amount / ms / giga / 1e6) : "-";
  };
  fmt::print("{:<18}{:>9}{:>10}{:>10}{:>9}{:>9}{:>11}{:>9}{:>9}{:>9}\n", "kernels of a step", "launches", "Mflop",
             "L2 MB", "MB", "us", "predicted", "flop/s", "of L2", "memory");
  const auto line = [&](std::string_view name, double calls, const Roofline::Kind& k) {
    fmt::print("{:<18}{:>9.1f}{:>10.2f}{:>10.2f}{:>9.2f}{:>9.1f}{:>11.1f}{:>9}{:>9}{:>9}\n", name, calls, k.flops / 1e6,
               k.tile_bytes / 1e6, k.bytes / 1e6, 1e3 * k.ms, 1e3 * k.predicted_ms,
               share(k.flops, k.ms, r.peaks.gflops), share(k.tile_bytes, k.ms, r.peaks.l2_gbytes),
               share(k.bytes, k.ms, r.peaks.memory_gbytes));
  };
  double calls = 0;
  for (const Roofline::Kind& kind : r.kinds) {
    if (kind.calls > 0) line(kind.name, kind.calls, kind);
    calls += kind.calls;
  }
  line("sum of kernels", calls, {"", calls, r.flops, r.product_ms, r.tile_bytes, r.bytes, r.predicted_ms});
  line("the step", calls, {"", calls, r.flops, r.step_ms, r.tile_bytes, r.bytes, r.predicted_ms});
  fmt::print("\n{} processors: {:.0f} Gflop/s of fp32, {:.0f} GB/s of the L2, {:.0f} GB/s of memory\n",
             r.peaks.processors, r.peaks.gflops, r.peaks.l2_gbytes, r.peaks.memory_gbytes);
  fmt::print("noise {:.2f}: the median of {} rounds divided by the best round; {} time\n", r.median_step_ms / r.step_ms,
             r.rounds, clock);
}

/// Returns what print_kernels() prints, as JSON.
Json kernels_to_json(const Roofline& r) {
  Json kinds = Json::array();
  for (const Roofline::Kind& kind : r.kinds)
    kinds.push_back({{"name", kind.name},
                     {"launches", kind.calls},
                     {"flops", kind.flops},
                     {"tile_bytes", kind.tile_bytes},
                     {"bytes", kind.bytes},
                     {"ms", kind.ms},
                     {"predicted_ms", kind.predicted_ms}});
  return {{"step_ms", r.step_ms},
          {"median_step_ms", r.median_step_ms},
          {"kernel_ms", r.product_ms},
          {"predicted_ms", r.predicted_ms},
          {"kernel_flops", r.flops},
          {"gflops", r.gflops},
          {"peak_gflops", r.peaks.gflops},
          {"peak_l2_gbytes", r.peaks.l2_gbytes},
          {"peak_memory_gbytes", r.peaks.memory_gbytes},
          {"fraction_of_peak", r.fraction_of_peak},
          {"processors", r.peaks.processors},
          {"kernels", kinds},
          {"rounds", r.rounds}};
}

Json products_to_json(const Roofline& r) {
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
  const bool on_gpu = is_gpu(arguments);
  if (!arguments.json)
    return on_gpu ? print_kernels(r, clock_name(arguments)) : print_products(r, clock_name(arguments));
  Json json = bench_header(arguments);
  json.update(Json{{"hidden", arguments.hidden}, {"embedding", arguments.embedding}});
  json.update(on_gpu ? kernels_to_json(r) : products_to_json(r));
  print_json(json);
}

}  // namespace cavs::cli
