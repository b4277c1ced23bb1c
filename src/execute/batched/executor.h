#pragma once

#include <functional>
#include <memory>

#include "cavs/parameters.h"
#include "cavs/session.h"
#include "execute/batched/deferred_sums.h"
#include "execute/batched/shared_steps.h"
#include "execute/update.h"

namespace cavs {

/// Executes plans on a team: one parallel region a direction.
class Executor {
 public:
  Executor(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, Team& team,
           const SessionOptions& options, cpu::Precision precision, std::shared_ptr<PackedWeights> weights);

  /// As soon as a run's batch is planned.
  void prepare(Execution& run) { run.is_alone = team_.choose_alone(); }
  void forward(Execution& run);
  /// Gradients of pushes are in their tensors already.
  void backward(Execution& run, Gradients& gradients, bool defer = false);
  /// Both, and the update, in one parallel region. @param loss  its sum, when F is done
  /// @return whether it has updated; if not, a deferred gradient might not have been finite, and all are there now
  bool train(Execution& run, Gradients& gradients, bool defer, Update& update, const std::function<double()>& loss,
             StepSeconds& seconds);
  /// Rows [begin, end) of a gradient that backward has deferred, row-major, until the worker's next call.
  const float* deferred_gradient(Execution& run, int worker, int parameter, std::int32_t begin, std::int32_t end) {
    return deferred_sums_.rows(run, worker, parameter, begin, end);
  }

  /// The rows that such a gradient sums, in fp32, until the worker's next call.
  const cpu::GradientRows& deferred_rows(Execution& run, int worker, int parameter) {
    return deferred_sums_.summed_rows(run, worker, parameter);
  }

  const std::shared_ptr<PackedWeights>& weights() const { return weights_; }

  /// Bytes of the tiles that row groups work on, of all workers.
  std::int64_t tile_bytes(const Plan& plan) const { return instructions_.tile_bytes(plan, team_.size()); }

  /// First element of an operand's row 0 in a finished run; of one that can be written.
  const float* base(const Execution& run, std::int32_t type, const Operand& operand) const {
    return view(run, type).base(operand);
  }
  float* written(Execution& run, std::int32_t type, const Operand& operand) const {
    return view(run, type).written(operand);
  }

 private:
  StepView view(const Execution& run, std::int32_t type) const;
  void add_loads(Execution& run);
  bool is_stale(std::unique_lock<std::mutex>& renewing);
  void choose_deferred(Execution& run, Gradients& gradients, bool defer);
  void run_steps(Execution& run, Directions directions, Gradients* gradients, int number);
  void renew_weights(int worker);
  void go_back(Execution& run, Gradients& gradients, Directions directions, int worker);

  std::shared_ptr<const Program> program_;
  std::shared_ptr<Parameters> parameters_;
  Team& team_;
  cpu::Precision precision_;
  std::shared_ptr<PackedWeights> weights_;
  const bool profile_;
  Workers workers_;
  InstructionRunner instructions_;
  SharedSteps steps_;
  GradientDeferral deferral_;
  DeferredSums deferred_sums_;
};

}  // namespace cavs
