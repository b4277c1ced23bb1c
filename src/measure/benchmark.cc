#include "measure/benchmark.h"

#include <chrono>

#include "measure/stepper.h"

namespace cavs::inline v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

/// Measures the parts of the steps of one epoch, after a warm-up epoch. The results are means per step.
void measure_parts(Stepper& stepper, BenchmarkResult& r) {
  for (std::int64_t i = 0; i < r.steps; ++i) stepper.step();
  const auto share = [&](double& mean, auto value) {
    mean += static_cast<double>(value) / static_cast<double>(r.steps);
  };
  for (std::int64_t i = 0; i < r.steps; ++i) {
    const StepFigures step = stepper.step();
    const RunStatistics& s = step.statistics;
    share(r.pack_ms, s.pack_ms);
    share(r.schedule_ms, s.schedule_ms);
    share(r.plan_ms, s.plan_ms);
    share(r.script_ms, s.script_ms);
    share(r.memory_ms, s.memory_ms);
    share(r.compute_ms, s.compute_ms);
    share(r.update_ms, step.update_ms);
    share(r.tasks, s.tasks);
    share(r.fallbacks, s.fallbacks);
    share(r.instructions, s.instructions);
    share(r.streamed_rows, s.streamed_rows);
    share(r.bytes_moved, s.bytes_moved);
    share(r.flops, s.flops);
    share(r.unprepared_ms, s.unprepared_ms);
    share(r.launch_ms, s.launch_ms);
    share(r.wait_ms, s.wait_ms);
    share(r.gpu_ms, s.gpu_ms);
    share(r.gpu_idle_ms, s.gpu_idle_ms);
    share(r.launches, s.launches);
    share(r.graph_launches, s.graph_launches);
    share(r.graph_nodes, s.graph_nodes);
    share(r.weight_bytes, s.weight_bytes);
    share(r.weight_bytes_once, s.weight_bytes_once);
  }
}

}  // namespace

BenchmarkResult benchmark(const Model& model, const GraphSet& data, const BenchmarkOptions& options) {
  BenchmarkResult r;
  const auto stepper = make_stepper(model, data, options.training, options.train);
  r.samples = data.size();
  r.vertices = data.vertices();
  r.steps = steps_of_epoch(data, options.train);
  r.loss = stepper->step().loss;
  for (std::int64_t i = 1; i < r.steps; ++i) stepper->step();
  const auto start = Clock::now();
  do {
    for (std::int64_t i = 0; i < r.steps; ++i) stepper->step();
    ++r.epochs;
    r.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  } while (options.epochs > 0 ? r.epochs < options.epochs : r.seconds < options.min_seconds);
  const auto epochs = static_cast<double>(r.epochs);
  r.samples_per_second = static_cast<double>(r.samples) * epochs / r.seconds;
  r.vertices_per_second = static_cast<double>(r.vertices) * epochs / r.seconds;
  r.step_ms = r.seconds * 1e3 / (static_cast<double>(r.steps) * epochs);
  TrainOptions profiled = options.train;
  profiled.session.profile = true;
  measure_parts(*make_stepper(model, data, options.training, profiled), r);
  return r;
}

}  // namespace cavs::inline v0_1
