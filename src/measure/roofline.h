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
  std::vector<Kind> kinds;                  // kinds of products, or of kernels
  double step_ms = 0, median_step_ms = 0;   // the median round shows other load on the machine
  double product_ms = 0, predicted_ms = 0;  // sum over kinds
  double tile_bytes = 0, bytes = 0;         // sum over kinds
  double product_fraction = 0;              // product_ms / step_ms
  double flops = 0;                         // sum over kinds
  double gflops = 0;                        // flops / step_ms
  std::string_view instructions;            // instruction set of the products
  double peak_gflops = 0;       // all threads at once compute on registers; from each thread's processor time
  double fraction_of_peak = 0;  // gflops / peak_gflops
  DevicePeaks peaks;            // peaks of a GPU
  std::int64_t rounds = 0;
};

/// For each minibatch, runs the step, and then its products as bare calls. These use the same kernels, shapes, threads
/// and sharing as the executor, but packed weights, contiguous operands in cache, and no barriers, so the fraction is a
/// lower bound. On a GPU, runs the step, and then the step with its kernels launched and timed one by one.
/// @throws UserError as Trainer and Session do.
Roofline measure_roofline(const Model& model, const GraphSet& data, const BenchmarkOptions& options);

}  // namespace cavs::inline v0_1
