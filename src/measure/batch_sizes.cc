#include "measure/batch_sizes.h"

#include "measure/rounds.h"
#include "measure/stepper.h"

namespace cavs {

BatchSpeed measure_batch_size(const Model& model, const GraphSet& data, BenchmarkOptions options, int batch_size) {
  options.train.batch_size = batch_size;
  const auto stepper = make_stepper(model, data, options.training, options.train);
  const std::int64_t steps = steps_of_epoch(data, options.train);
  const WorkClock clock(options.train.session.threads);
  RoundTimes times(steps);
  BatchSpeed speed{.batch_size = batch_size};
  for (std::int64_t i = 0; i < steps; ++i)
    speed.tasks += static_cast<double>(stepper->step().statistics.tasks) / static_cast<double>(steps);
  speed.rounds = run_rounds(options, 1, [&] {
    for (std::int64_t i = 0; i < steps; ++i) times.add(i, clock.milliseconds_of([&] { stepper->step(); }));
  });
  speed.samples_per_second = data.size() * 1e3 / times.best();
  speed.median_ratio = times.median() / times.best();
  return speed;
}

}  // namespace cavs
