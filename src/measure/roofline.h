#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// How near a step comes to what its products alone would take, and these to the processor's peak; on a GPU, what its
/// kernels take, and how near these come to the GPU's peaks. Times, calls and flops are those of a step, means over the
/// minibatches; of each minibatch the best round counts.
struct Roofline {
  struct Kind {
    std::string_view name;
    double calls = 0, flops = 0, ms = 0;
    double tile_bytes = 0, bytes = 0, predicted_ms = 0;  // as in KernelWork
  };
  std::vector<Kind> kinds;                  // of products; of kernels
  double step_ms = 0, median_step_ms = 0;   // the median over the rounds tells how much the machine did else
  double product_ms = 0, predicted_ms = 0;  // all kinds
  double tile_bytes = 0, bytes = 0;         // the same
  double product_fraction = 0;              // product_ms / step_ms
  double flops = 0;                         // of all kinds
  double gflops = 0;                        // flops in step_ms
  std::string_view instructions;            // that its products are made of
  double peak_gflops = 0;                   // theirs on registers: all threads at once, by the processor time of each
  double fraction_of_peak = 0;              // gflops / peak_gflops
  DevicePeaks peaks;                        // of a GPU
  std::int64_t rounds = 0;
};

/// Runs, minibatch by minibatch in one process, the step and then its products as bare calls: the same kernels, weights
/// that are packed already, the same shapes and threads, shared as the executor shares them, contiguous operands that
/// have just been used, no waiting for one another. So the fraction is rather too low than too high. On a GPU, the step
/// as it is, and the step with its kernels launched one by one, each measured by the GPU's clock.
/// @throws UserError as Trainer and Session do.
Roofline measure_roofline(const Model& model, const GraphSet& data, const BenchmarkOptions& options);

}  // namespace cavs::inline v0_1
