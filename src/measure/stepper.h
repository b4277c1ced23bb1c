#pragma once

#include <functional>
#include <memory>

#include "cavs/inspect.h"
#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// What one step did.
struct StepFigures {
  double loss = 0, gradient_norm = 0, update_ms = 0;  // the last two: of training
  RunStatistics statistics;
};

/// Runs a model over a data set step by step in file order, epoch after epoch: what every measurement measures.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual StepFigures step() = 0;
  virtual Session& session() = 0;
  virtual const Program& program() const = 0;
};

/// @param training  off: forward with the loss. `options.shuffle` is ignored.
/// @throws UserError as Trainer and Session do. The data set must outlive it.
std::unique_ptr<Stepper> make_stepper(const Model& model, const GraphSet& data, bool training, TrainOptions options);

/// Calls f with every minibatch of an epoch in file order, as the stepper's session schedules it.
void each_minibatch(const Stepper& stepper, const GraphSet& data, const TrainOptions& options,
                    const std::function<void(const inspect::ScheduledBatch&)>& f);

/// Minibatches, and so steps, of an epoch.
std::int64_t steps_of_epoch(const GraphSet& data, const TrainOptions& options);

}  // namespace cavs::inline v0_1
