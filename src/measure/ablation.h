#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/bar_chart.h"
#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// A setting of the optimisations, with its name.
struct Variant {
  std::string name;
  TrainOptions options;
};

/// Returns the variants to compare. The first is the baseline: batched, with all optimisations off (Cavs, Figure 10).
/// Then come the baseline without batching, the baseline with each single optimisation, all optimisations with
/// streaming, and all optimisations as in `base`. Optimisations that `base` disables stay off in all variants.
std::vector<Variant> ablation_variants(const TrainOptions& base);

/// The speed of a variant. Times are milliseconds per step, averaged over the minibatches.
struct AblationRow {
  std::string name;
  double step_ms = 0;    // of the fastest round of each minibatch
  double median_ms = 0;  // of the median round; the difference to step_ms shows other load on the machine
  double samples_per_second = 0;
  double ratio = 0;  // speed relative to the first variant
  double loss = 0;   // mean loss per sample of the first step
  double tasks = 0;  // mean number of tasks per step
};

struct Ablation {
  std::vector<AblationRow> rows;
  std::int64_t rounds = 0;
};

/// Measures one epoch of each variant in turn, round after round in one process, after a warm-up epoch. `options.train`
/// is not used, because each variant has its own options. A single variant is measured alone.
/// @throws InternalError if the loss or gradient norm of a variant's first step differs from that of the first variant
/// by more than 1e-5 (relative); UserError as Trainer and Session do.
Ablation ablate(const Model& model, const GraphSet& data, const BenchmarkOptions& options,
                std::span<const Variant> variants);

/// Returns a chart of ratios to the baseline: a group per size, a bar per variant. All `ablations` have these variants.
BarChart ablation_chart(const std::string& title, const std::vector<int>& sizes,
                        const std::vector<Ablation>& ablations);

}  // namespace cavs::inline v0_1
