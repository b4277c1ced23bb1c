#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "execute/cuda/device_batch.h"
#include "execute/cuda/device_engine.h"
#include "execute/cuda/device_values.h"
#include "execute/cuda/launch_counts.h"
#include "execute/cuda/pass_timer.h"

namespace cavs::cuda {

/// Base of the runs of the GPU engines. A minibatch is copied to the GPU as soon as it is planned. Values that kernels
/// have computed are copied back when they are read.
class DeviceRun : public EngineRun {
 public:
  bool fits(const PreparedBatch& batch) const override { return bytes(batch) <= held_bytes(); }
  /// Bytes of the values that kernels compute. Their input is not counted; it is about as large as the plan's lists.
  std::int64_t bytes(const PreparedBatch& batch) const override { return values_.bytes(batch.plan); }
  std::int64_t held_bytes() const override { return values_.held_bytes(); }
  void reserve(const PreparedBatch& batch) override { values_.reserve(batch.plan); }
  double loss_sum(const PreparedBatch& batch) const override;
  void rows(const PreparedBatch& batch, PortKind kind, const std::string& port, std::span<const std::int32_t> vertices,
            std::span<const float*> rows) override;
  std::string find_not_finite(const PreparedBatch& batch) const override;
  void count(const PreparedBatch& batch, RunStatistics& statistics) const override;
  void release() override;

 protected:
  /// The passes of a minibatch that a series of launches computes. kBoth is F and ∂F; kStep is both, and the update.
  enum class Directions : std::uint8_t { kForward, kBackward, kBoth, kStep };

  explicit DeviceRun(DeviceEngine& engine);

  const Stream& stream() const { return engine_.stream(); }
  DeviceBatch& batch() { return batch_; }
  DeviceValues& values() { return values_; }
  /// The optimiser's factors in the last update, one per parameter.
  const ParameterStep* steps() const { return staged_steps_.as<ParameterStep>(); }
  /// Counts of launches since forward() began.
  LaunchCounts& launch_counts() { return launch_counts_; }

  /// Returns arguments for kernels that run the entries of the minibatch's script with numbers below `entries`.
  KernelArguments begin(const PreparedBatch& batch, Directions directions, float loss_gradient, std::int32_t entries);
  /// Sets the arguments for the update.
  void begin_update(KernelArguments& arguments, const UpdateRequest& request);
  /// Returns arguments for an update that follows no pass. @param gradients  gradients of the request, on the GPU
  KernelArguments begin_update(const UpdateRequest& request, float* gradients);
  UpdateResult end_update(const UpdateRequest& request);
  /// Records that the GPU has the newest parameters. The update has been launched, and is assumed to succeed.
  void mark_update_on_device(Optimizer& optimizer);
  /// Makes kernels clear all rows of the gradients of tables, and update no parameter.
  void begin_without_update();
  /// Call this after the last launch of the passes.
  void end_launches(Directions directions);
  /// Ends the launches, prepares the next minibatch, and waits for the launches.
  void finish(Directions directions) {
    end_launches(directions);
    wait();
  }
  /// Waits for a step. If the GPU has not updated, reverts mark_update_on_device(), and makes the gradients readable
  /// unless a later step has begun.
  TrainedStep end_step(const PreparedBatch& batch, const UpdateRequest& request);
  /// True if launches of a later pass have begun.
  bool is_overtaken() const { return timer_.is_overtaken(); }

 private:
  const int* send_touched(const Gradients& gradients);
  void download_result();
  void wait();
  UpdateResult result_of(const UpdateRequest& request);

  DeviceEngine& engine_;
  DeviceBatch batch_;
  PinnedMemory staged_steps_;          // the optimiser's factors
  DeviceMemory steps_;                 // copy of staged_steps_ on the GPU
  std::vector<std::int32_t> touched_;  // words of an update that follows no pass, see send_touched()
  DeviceMemory sent_touched_;          // copy of touched_ on the GPU
  DeviceValues values_;
  PinnedMemory result_;  // StepResult of the last update
  PassTimer timer_;
  std::int64_t steps_before_ = 0;  // number of steps that the optimiser had made before the update
  LaunchCounts launch_counts_;
  bool ran_backward_ = false, has_loss_ = false;  // true if ∂F has run; true if result_ has the loss of this minibatch
};

}  // namespace cavs::cuda
