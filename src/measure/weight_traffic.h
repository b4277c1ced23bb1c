#pragma once

#include <cstdint>

#include "cavs/inspect.h"
#include "measure/benchmark.h"

namespace cavs::inline v0_1 {

/// Bytes of weights that products load for a data set at one batch size (Table I of VPPS).
struct WeightTraffic {
  int batch_size = 0;
  std::int64_t steps = 0;
  inspect::WeightLoads batched{}, persistent{};  // sum of all steps
};

/// Counts the loads of one epoch that engine `batched` runs (RunStatistics::loaded_weight_bytes), and the loads of
/// persistent processors, one per thread, in scripts of the same minibatches, if the second-level cache of a core keeps
/// weights. These scripts are not executed. `options.train.batch_size` and profile are replaced.
/// @throws UserError as Trainer and Session do.
WeightTraffic measure_weight_traffic(const Model& model, const GraphSet& data, BenchmarkOptions options,
                                     int batch_size);

}  // namespace cavs::inline v0_1
