#pragma once

#include <cstdint>

#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

struct BenchmarkOptions {
  bool training = true;     // off: inference, with the loss
  std::int64_t epochs = 0;  // measured; 0: as many as fill `min_seconds`
  double min_seconds = 2;
  TrainOptions train = {};  // batch size, optimiser, session; samples always come in file order
};

/// Speed of a model on a data set. Times in milliseconds a step, counts a step.
struct BenchmarkResult {
  double samples_per_second = 0, vertices_per_second = 0, step_ms = 0;
  // Of one epoch that is measured in detail, after those that give the speed:
  double pack_ms = 0, schedule_ms = 0, plan_ms = 0, script_ms = 0, memory_ms = 0, compute_ms = 0, update_ms = 0;
  double tasks = 0, fallbacks = 0, instructions = 0, streamed_rows = 0, bytes_moved = 0, flops = 0;
  double weight_bytes = 0, weight_bytes_once = 0;
  double unprepared_ms = 0, launch_ms = 0, wait_ms = 0, gpu_ms = 0, gpu_idle_ms = 0;  // as in RunStatistics
  double launches = 0, graph_launches = 0, graph_nodes = 0;                           // of a GPU
  double loss = 0;                                                // of the first step: divided by its samples
  std::int64_t epochs = 0, steps = 0, samples = 0, vertices = 0;  // measured; the last three an epoch
  double seconds = 0;
};

/// Kernels that a GPU carries out for a task, mean: those of graphs, and those that are launched by themselves.
inline double launches_a_task(const BenchmarkResult& r) { return (r.launches + r.graph_nodes) / r.tasks; }

/// Whole epochs; a first one that warms up is not counted.
/// @throws UserError as Trainer and Session do.
BenchmarkResult benchmark(const Model& model, const GraphSet& data, const BenchmarkOptions& options);

}  // namespace cavs::inline v0_1
