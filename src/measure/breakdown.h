#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "measure/bar_chart.h"
#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// Parts of the time of a step (Cavs, Figure 9, Tables 1 and 3).
enum class StepPart {
  kConstruction,  // packing, scheduling and planning, which replace the construction of a dynamic graph
  kMemory,        // instructions that copy, such as gathers
  kCompute,       // all other instructions
  kUpdate,        // clipping and optimiser
  kOther,         // the rest of the step
};
inline constexpr std::array<std::string_view, 5> kPartNames{"construction", "memory", "compute", "update", "other"};

/// Times in milliseconds per epoch, and speeds.
struct Breakdown {
  std::array<double, kPartNames.size()> ms{};  // by StepPart; sum over minibatches of the fastest round
  double total_ms = 0;                         // the sum of `ms`
  double epoch_ms = 0;                         // as total_ms, measured as a whole, without profiling
  double samples_per_second = 0;               // computed from epoch_ms
  double serial_ratio = 0;                     // speed relative to policy `serial`; 0 if that was not measured
  std::int64_t rounds = 0;

  double at(StepPart part) const { return ms[static_cast<std::size_t>(part)]; }
  double percent(std::size_t part) const { return 100 * ms[part] / total_ms; }
};

/// Measures in turn, round after round: an epoch with timed parts, an epoch without timed parts and, with `serial`, an
/// epoch that evaluates one vertex at a time. With two or more threads, a minibatch is prepared while another is
/// computed, so the sum of the parts exceeds the wall time.
/// @throws UserError as Trainer and Session do.
Breakdown measure_breakdown(const Model& model, const GraphSet& data, const BenchmarkOptions& options, bool serial);

/// The breakdowns of one mode (training or inference), by number of leaves or batch size.
struct BreakdownPanel {
  std::string name;
  std::vector<Breakdown> columns;
};

/// Returns a chart of the parts in percent, stacked, with the milliseconds per epoch above each column.
BarChart breakdown_chart(const std::string& title, const std::string& axis, const std::vector<int>& values,
                         const std::vector<BreakdownPanel>& panels);

}  // namespace cavs::inline v0_1
