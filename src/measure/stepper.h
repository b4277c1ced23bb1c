#pragma once

#include <functional>
#include <memory>

#include "cavs/inspect.h"
#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// Results of one step.
struct StepFigures {
  double loss = 0, gradient_norm = 0, update_ms = 0;  // the last two are 0 without training
  RunStatistics statistics;
};

/// Runs a model over a data set step by step, in file order, epoch after epoch. All measurements use it.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual StepFigures step() = 0;
  virtual Session& session() = 0;
  virtual const Program& program() const = 0;
};

/// @param training  false to run only the forward pass with the loss. `options.shuffle` is ignored.
/// The data set must outlive the stepper. @throws UserError as Trainer and Session do.
std::unique_ptr<Stepper> make_stepper(const Model& model, const GraphSet& data, bool training, TrainOptions options);

/// Calls f with every minibatch of an epoch in file order, scheduled as in the session of the stepper.
void each_minibatch(const Stepper& stepper, const GraphSet& data, const TrainOptions& options,
                    const std::function<void(const inspect::ScheduledBatch&)>& f);

/// Returns the number of minibatches, and so of steps, per epoch.
std::int64_t steps_of_epoch(const GraphSet& data, const TrainOptions& options);

}  // namespace cavs::inline v0_1
