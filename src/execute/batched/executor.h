#pragma once

#include <memory>

#include "cavs/parameters.h"
#include "cavs/session.h"
#include "execute/batched/deferred_sums.h"
#include "execute/batched/streaming.h"

namespace cavs {

/// The batched engine: the team shares every instruction of a step of the plan, or the step is one worker's; one
/// parallel region a direction.
class Executor {
 public:
  Executor(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, Team& team,
           const SessionOptions& options, cpu::Precision precision, std::shared_ptr<PackedWeights> weights);

  void forward(Execution& run);
  /// Gradients of pushes are in their tensors already.
  void backward(Execution& run, Gradients& gradients, bool defer = false);
  /// Rows [begin, end) of a gradient that backward has deferred, row-major, until the worker's next call.
  const float* deferred_gradient(Execution& run, int worker, int parameter, std::int32_t begin, std::int32_t end) {
    return deferred_sums_.rows(run, worker, parameter, begin, end);
  }

  const std::shared_ptr<PackedWeights>& weights() const { return weights_; }

  /// Bytes of the tiles that row groups work on, of all workers.
  std::int64_t tile_bytes(const Plan& plan) const { return instructions_.tile_bytes(plan, team_.size()); }

  /// First element of an operand's row 0 in a finished run.
  const float* base(const Execution& run, std::int32_t type, const Operand& operand) const;

 private:
  void run_steps(Execution& run, bool backward, Gradients* gradients, int number);
  void begin_run(Worker& worker, Execution& run, Gradients* gradients, int number) const;
  void run_step(Worker& worker);

  std::shared_ptr<const Program> program_;
  std::shared_ptr<Parameters> parameters_;
  Team& team_;
  std::shared_ptr<PackedWeights> weights_;
  Workers workers_;
  InstructionRunner instructions_;
  Stream stream_;
  GradientDeferral deferral_;
  DeferredSums deferred_sums_;
};

}  // namespace cavs
