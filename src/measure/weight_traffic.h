#pragma once

#include <cstdint>

#include "cavs/inspect.h"
#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// Bytes of weights that products load for a data set at one batch size (Table I of VPPS).
struct WeightTraffic {
  int batch_size = 0;
  std::int64_t steps = 0;
  inspect::WeightLoads batched{}, persistent{};  // sums over all steps
};

/// Counts the bytes of weights that products load in one epoch with engine `batched`
/// (RunStatistics::loaded_weight_bytes), and the bytes that persistent processors (processors that keep weights) would
/// load for the same minibatches, with one processor per thread that keeps weights in its second-level cache. Scripts
/// for these processors are made, but not executed. `options.train.batch_size` and `profile` are replaced.
/// @throws UserError as Trainer and Session do.
WeightTraffic measure_weight_traffic(const Model& model, const GraphSet& data, BenchmarkOptions options,
                                     int batch_size);

}  // namespace cavs::inline v0_1
