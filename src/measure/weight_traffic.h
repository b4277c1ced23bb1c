#pragma once

#include <cstdint>

#include "cavs/inspect.h"
#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// Bytes of weights that products load for a data set at one batch size: Table I of VPPS.
struct WeightTraffic {
  int batch_size = 0;
  std::int64_t steps = 0;
  inspect::WeightLoads batched{}, persistent{};  // of all steps together
};

/// Counts one epoch of engine `batched` while it runs (RunStatistics::loaded_weight_bytes), and what persistent
/// processors, as many as there are threads, would load: in the scripts of the same minibatches, with what a core's
/// second cache keeps. Nothing executes these scripts. `options.train.batch_size` and profile are replaced.
/// @throws UserError as Trainer and Session do.
WeightTraffic measure_weight_traffic(const Model& model, const GraphSet& data, BenchmarkOptions options,
                                     int batch_size);

}  // namespace cavs::inline v0_1
