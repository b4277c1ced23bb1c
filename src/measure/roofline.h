#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// Compares the time of a step with the time of its products alone, and with the peak of the processor. On a GPU,
/// compares the time of kernels with the peaks of the GPU. Times, calls and flops are per step: means over the
/// minibatches, from the best round of each minibatch.
struct Roofline {
  struct Kind {
    std::string_view name;
    double calls = 0, flops = 0, ms = 0;
    double tile_bytes = 0, bytes = 0, predicted_ms = 0;  // see KernelWork
  };
  std::vector<Kind> kinds;                  // kinds of products; on a GPU, kinds of kernels
  double step_ms = 0, median_step_ms = 0;   // of the fastest round, and of the median round
  double product_ms = 0, predicted_ms = 0;  // sum over kinds
  double tile_bytes = 0, bytes = 0;         // sum over kinds
  double product_fraction = 0;              // product_ms / step_ms
  double flops = 0;                         // sum over kinds
  double gflops = 0;                        // 10^9 operations per second of a step
  std::string_view instructions;            // instruction set of the products
  double peak_gflops = 0;       // of all threads, measured while each computes on registers only, per processor time
  double fraction_of_peak = 0;  // gflops / peak_gflops
  DevicePeaks peaks;            // peak rates of the GPU; zeros on a CPU
  std::int64_t rounds = 0;
};

/// For each minibatch, runs the step, and then its products alone. These products use the kernels, shapes, threads and
/// sharing of the step, but have packed weights, contiguous operands in cache, and no barriers, so product_fraction is
/// a lower bound. On a GPU, runs the step, and then the step with its kernels launched and timed one by one.
/// @throws UserError as Trainer and Session do.
Roofline measure_roofline(const Model& model, const GraphSet& data, const BenchmarkOptions& options);

}  // namespace cavs::inline v0_1
