#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/report.h"
#include "measure/benchmark.h"

namespace cavs::cli {

struct BenchArguments : Options {
  std::string mode = "train";
  std::int64_t epochs = 0;
  bool ablate = false, roofline = false, breakdown = false, weight_traffic = false;
  std::vector<int> sizes{64, 128, 256, 512, 1024};  // hidden sizes that --ablate compares
  std::string svg;
  std::vector<int> batch_sizes;       // of --batch-sizes; if empty, only --batch-size is measured
  std::vector<std::string> policies;  // policies that --policies compares
  const CLI::App* app = nullptr;

  bool given(const char* option) const { return app->get_option(option)->count() > 0; }
};

// The measurements of `cavs bench`, each of which prints its result.
void run_ablation(const BenchArguments& arguments);
void run_roofline(const BenchArguments& arguments);
void run_breakdown(const BenchArguments& arguments);
void run_weight_traffic(const BenchArguments& arguments);
void run_batch_sizes(const BenchArguments& arguments);
void run_policies(const BenchArguments& arguments);

/// Returns the options of a measurement in the mode of --mode. `learned` is the policy for
/// --policy fsm, or null.
BenchmarkOptions benchmark_options(const BenchArguments& arguments, const Dataset& data,
                                   std::shared_ptr<const LearnedPolicy> learned = nullptr);

/// Returns the name of the clock that the measurement uses: "processor" or "wall".
std::string_view clock_name(const BenchArguments& arguments);

/// Returns the settings of the measurement, which are the first fields of its JSON.
Json bench_header(const BenchArguments& arguments);

}  // namespace cavs::cli
