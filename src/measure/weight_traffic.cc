#include "measure/weight_traffic.h"

#include "measure/stepper.h"

namespace cavs::inline v0_1 {

WeightTraffic measure_weight_traffic(const Model& model, const GraphSet& data, BenchmarkOptions options,
                                     int batch_size) {
  options.train.batch_size = batch_size;
  SessionOptions& session = options.train.session;
  session.profile = true;
  const auto stepper = make_stepper(model, data, options.training, options.train);
  WeightTraffic traffic{.batch_size = batch_size, .steps = steps_of_epoch(data, options.train)};
  for (std::int64_t i = 0; i < traffic.steps; ++i) {
    const RunStatistics s = stepper->step().statistics;
    traffic.batched.bytes += s.loaded_weight_bytes;
    traffic.batched.task_bytes += s.loaded_task_weight_bytes;
  }
  const Precision precision = stepper->session().precision();
  each_minibatch(*stepper, data, options.train, [&](const inspect::ScheduledBatch& batch) {
    const inspect::WeightLoads loads = batch.script_loads(session.threads, precision);
    traffic.persistent.bytes += loads.bytes;
    traffic.persistent.task_bytes += loads.task_bytes;
  });
  return traffic;
}

}  // namespace cavs::inline v0_1
