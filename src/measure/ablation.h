#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/bar_chart.h"
#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// A setting of the optimisations that is compared with others.
struct Variant {
  std::string name;
  TrainOptions options;
};

/// The first is the baseline: batched, every optimisation off (Cavs, Figure 10). Then the baseline with one thing
/// changed each: without batching, with one optimisation. Then all of them with streaming, all with rows in the order
/// of gathers, all with equal vertices shared, and all as in `base`. What `base` disables stays off in all of them and
/// is no variant.
std::vector<Variant> ablation_variants(const TrainOptions& base);

/// A variant's speed. Milliseconds a step, mean over the minibatches.
struct AblationRow {
  std::string name;
  double step_ms = 0;    // of each minibatch its best round
  double median_ms = 0;  // and its median one: how much the machine did else
  double samples_per_second = 0;
  double ratio = 0;  // speed relative to the first variant's
  double loss = 0;   // of the first step
  double tasks = 0;  // mean a step
};

struct Ablation {
  std::vector<AblationRow> rows;
  std::int64_t rounds = 0;
};

/// Measures the variants in turn, an epoch each, round after round in one process, after an epoch that warms up.
/// `options.train` is not used: each variant has its own. A single one is measured alone.
/// @throws InternalError if a variant's first loss or gradient (its norm) differs from the first variant's by more than
/// 1e-5 of it; UserError as Trainer and Session do.
Ablation ablate(const Model& model, const GraphSet& data, const BenchmarkOptions& options,
                std::span<const Variant> variants);

/// Ratios to the baseline, a group a size, a bar a variant. All `ablations` have the same variants.
BarChart ablation_chart(const std::string& title, const std::vector<int>& sizes,
                        const std::vector<Ablation>& ablations);

}  // namespace cavs::inline v0_1
