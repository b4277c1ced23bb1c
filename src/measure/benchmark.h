#pragma once

#include <cstdint>

#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

struct BenchmarkOptions {
  bool training = true;     // false to measure only the forward pass with the loss
  std::int64_t epochs = 0;  // number of measured epochs; 0 to measure for at least `min_seconds`
  double min_seconds = 2;
  TrainOptions train = {};  // batch size, optimiser, session; samples are always in file order
};

/// Speed of a model on a data set. Times are in milliseconds per step, counts are per step.
struct BenchmarkResult {
  double samples_per_second = 0, vertices_per_second = 0, step_ms = 0;
  // The following times and counts are measured in one further epoch, after the epochs that measure the speed:
  double pack_ms = 0, schedule_ms = 0, plan_ms = 0, script_ms = 0, memory_ms = 0, compute_ms = 0, update_ms = 0;
  double tasks = 0, fallbacks = 0, instructions = 0, streamed_rows = 0, bytes_moved = 0, flops = 0;
  double weight_bytes = 0, weight_bytes_once = 0;
  double unprepared_ms = 0, launch_ms = 0, wait_ms = 0, gpu_ms = 0, gpu_idle_ms = 0;  // as in RunStatistics
  double launches = 0, graph_launches = 0, graph_nodes = 0;                           // 0 on a CPU
  double loss = 0;                                                // loss of the first step, per sample
  std::int64_t epochs = 0, steps = 0, samples = 0, vertices = 0;  // `epochs` were measured; the others are per epoch
  double seconds = 0;
};

/// Returns the mean number of kernels per task on a GPU: nodes of CUDA graphs, and kernels launched one by one.
inline double launches_per_task(const BenchmarkResult& r) { return (r.launches + r.graph_nodes) / r.tasks; }

/// Measures whole epochs, after a warm-up epoch that is not counted.
/// @throws UserError as Trainer and Session do.
BenchmarkResult benchmark(const Model& model, const GraphSet& data, const BenchmarkOptions& options);

}  // namespace cavs::inline v0_1
