#include "measure/breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "measure/rounds.h"

namespace cavs::inline v0_1 {
namespace {

using Parts = std::array<double, kPartNames.size()>;

double& at(Parts& parts, StepPart part) { return parts[static_cast<std::size_t>(part)]; }
double sum(const Parts& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

/// Runs a step of a session with profiling. Returns the times of its parts in milliseconds.
Parts profiled_step(Stepper& stepper) {
  Parts parts{};
  const auto start = std::chrono::steady_clock::now();  // the clock with which the session measures the parts
  const StepFigures step = stepper.step();
  const auto end = std::chrono::steady_clock::now();
  const RunStatistics& s = step.statistics;
  at(parts, StepPart::kConstruction) = s.pack_ms + s.schedule_ms + s.plan_ms + s.script_ms;
  at(parts, StepPart::kMemory) = s.memory_ms;
  at(parts, StepPart::kCompute) = s.compute_ms;
  at(parts, StepPart::kUpdate) = step.update_ms;
  const double all = std::chrono::duration<double, std::milli>(end - start).count();
  at(parts, StepPart::kOther) = std::max(0.0, all - sum(parts));
  return parts;
}

/// Keeps, for each minibatch, the times of its fastest round.
class BestParts {
 public:
  explicit BestParts(std::int64_t steps) : best_(static_cast<std::size_t>(steps)) {}

  void round(Stepper& stepper) {
    for (Parts& best : best_) {
      const Parts parts = profiled_step(stepper);
      if (sum(best) == 0 || sum(parts) < sum(best)) best = parts;
    }
  }
  Parts epoch() const {
    Parts total{};
    for (const Parts& best : best_)
      for (std::size_t p = 0; p < total.size(); ++p) total[p] += best[p];
    return total;
  }

 private:
  std::vector<Parts> best_;
};

/// Returns a stepper after a warm-up epoch.
std::unique_ptr<Stepper> warm_stepper(const Model& model, const GraphSet& data, bool training,
                                      const TrainOptions& options) {
  auto stepper = make_stepper(model, data, training, options);
  for (std::int64_t i = 0; i < steps_of_epoch(data, options); ++i) stepper->step();
  return stepper;
}

}  // namespace

Breakdown measure_breakdown(const Model& model, const GraphSet& data, const BenchmarkOptions& options, bool serial) {
  const std::int64_t steps = steps_of_epoch(data, options.train);
  const auto stepper = [&](const TrainOptions& train) { return warm_stepper(model, data, options.training, train); };
  TrainOptions profiled_options = options.train, serial_options = options.train;
  profiled_options.session.profile = true;
  serial_options.session.policy = "serial";
  const auto profiled = stepper(profiled_options);
  std::vector<TimedStepper> timed;
  const WorkClock clock(options.train.session.threads);
  timed.push_back({stepper(options.train), clock, RoundTimes(steps)});
  if (serial) timed.push_back({stepper(serial_options), clock, RoundTimes(steps)});

  BestParts parts(steps);
  Breakdown b;
  b.rounds = run_rounds(options, static_cast<std::int64_t>(1 + timed.size()), [&] {
    parts.round(*profiled);
    for (TimedStepper& each : timed) each.run_epoch();
  });
  b.ms = parts.epoch();
  b.total_ms = sum(b.ms);
  b.epoch_ms = timed.front().times.best();
  b.samples_per_second = data.size() * 1e3 / b.epoch_ms;
  if (serial) b.serial_ratio = timed.back().times.best() / b.epoch_ms;
  return b;
}

BarChart breakdown_chart(const std::string& title, const std::string& axis, const std::vector<int>& values,
                         const std::vector<BreakdownPanel>& panels) {
  BarChart chart{.title = title, .group_label = axis, .unit = " %", .stacked = true};
  for (int value : values) chart.groups.push_back(fmt::format("{}", value));
  chart.series.assign(kPartNames.begin(), kPartNames.end());
  for (const BreakdownPanel& from : panels) {
    BarChart::Panel& panel = chart.panels.emplace_back();
    panel.name = from.name;
    panel.values.resize(kPartNames.size());
    for (const Breakdown& column : from.columns) {
      for (std::size_t p = 0; p < kPartNames.size(); ++p) panel.values[p].push_back(column.percent(p));
      panel.notes.push_back(fmt::format("{:.{}f} ms", column.total_ms, column.total_ms < 10 ? 2 : 0));
    }
  }
  return chart;
}

}  // namespace cavs::inline v0_1
