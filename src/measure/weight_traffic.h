#pragma once

#include <cstdint>

#include "measure/benchmark.h"

namespace cavs {

/// Bytes of weights that an engine's products load from main memory (RunStatistics::loaded_weight_bytes).
struct EngineTraffic {
  std::int64_t bytes = 0, task_bytes = 0;
  bool operator==(const EngineTraffic&) const = default;
};

/// The same for a data set at one batch size: Table I of VPPS.
struct WeightTraffic {
  int batch_size = 0;
  std::int64_t steps = 0;
  EngineTraffic batched, persistent;  // of all steps together
};

/// Counts one epoch in each engine. `options.train.batch_size`, engine and profile are replaced.
/// @throws UserError as Trainer and Session do.
WeightTraffic measure_weight_traffic(const Model& model, const GraphSet& data, BenchmarkOptions options,
                                     int batch_size);

}  // namespace cavs
