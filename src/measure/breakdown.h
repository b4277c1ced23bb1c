#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "measure/bar_chart.h"
#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// Where the time of a step goes (Cavs, Figure 9, Tables 1 and 3).
enum class StepPart {
  kConstruction,  // packing, scheduling, planning: what stands for building a graph
  kMemory,        // gathers and other copies
  kCompute,       // all other instructions
  kUpdate,        // clipping and optimiser
  kOther,         // what the loop around them takes
};
inline constexpr std::array<std::string_view, 5> kPartNames{"construction", "memory", "compute", "update", "other"};

/// Milliseconds an epoch, and speeds.
struct Breakdown {
  std::array<double, kPartNames.size()> ms{};  // by StepPart; of each minibatch the round that took least
  double total_ms = 0;                         // the sum of the parts
  double epoch_ms = 0;                         // without profiling, of each minibatch the best round
  double samples_per_second = 0;               // from epoch_ms
  double serial_ratio = 0;                     // speed relative to the policy `serial`; 0 where not measured
  std::int64_t rounds = 0;

  double at(StepPart part) const { return ms[static_cast<std::size_t>(part)]; }
  double percent(std::size_t part) const { return 100 * ms[part] / total_ms; }
};

/// Measures in turn, round after round, an epoch with and one without the parts timed, and with `serial` one that
/// evaluates a vertex at a time. Where preparing a minibatch overlaps the computation (two threads or more), the parts
/// sum to more than the time that passes.
/// @throws UserError as Trainer and Session do.
Breakdown measure_breakdown(const Model& model, const GraphSet& data, const BenchmarkOptions& options, bool serial);

/// The breakdowns of one mode, by leaves or batch size.
struct BreakdownPanel {
  std::string name;
  std::vector<Breakdown> columns;
};

/// Parts in percent, stacked; above each column its milliseconds an epoch.
BarChart breakdown_chart(const std::string& title, const std::string& axis, const std::vector<int>& values,
                         const std::vector<BreakdownPanel>& panels);

}  // namespace cavs::inline v0_1
