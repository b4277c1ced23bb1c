#include "measure/weight_traffic.h"

#include "measure/stepper.h"

namespace cavs {
namespace {

EngineTraffic count_epoch(const Model& model, const GraphSet& data, BenchmarkOptions& options, EngineKind engine) {
  options.train.session.engine = engine;
  const auto stepper = make_stepper(model, data, options.training, options.train);
  EngineTraffic traffic;
  for (std::int64_t i = steps_of_epoch(data, options.train); i > 0; --i) {
    const RunStatistics s = stepper->step().statistics;
    traffic.bytes += s.loaded_weight_bytes, traffic.task_bytes += s.loaded_task_weight_bytes;
  }
  return traffic;
}

}  // namespace

WeightTraffic measure_weight_traffic(const Model& model, const GraphSet& data, BenchmarkOptions options,
                                     int batch_size) {
  options.train.batch_size = batch_size;
  options.train.session.profile = true;
  return {.batch_size = batch_size,
          .steps = steps_of_epoch(data, options.train),
          .batched = count_epoch(model, data, options, EngineKind::kBatched),
          .persistent = count_epoch(model, data, options, EngineKind::kPersistent)};
}

}  // namespace cavs
