#pragma once

#include <vector>

#include "measure/benchmark.h"

namespace cavs {

/// A model's speed at one batch size.
struct BatchSpeed {
  int batch_size = 0;
  double samples_per_second = 0;  // of each minibatch the round that took least
  double median_ratio = 0;        // time of the median round to that: how much the machine did else
  double tasks = 0;               // mean a step
  std::int64_t rounds = 0;
};

/// Measures whole epochs, round after round, after one that warms up. `options.train.batch_size` is replaced.
/// @throws UserError as Trainer and Session do, also where a minibatch does not fit into memory.
BatchSpeed measure_batch_size(const Model& model, const GraphSet& data, BenchmarkOptions options, int batch_size);

}  // namespace cavs
