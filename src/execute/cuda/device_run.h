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

/// Base of the runs of a GPU's engines. A minibatch is copied to the GPU as soon as it is planned. Values that kernels
/// have computed are copied back when they are read.
class DeviceRun : public EngineRun {
 public:
  bool fits(const PreparedBatch& batch) const override { return bytes(batch) <= held_bytes(); }
  /// Bytes of the values that kernels compute, without their input, which is as large as the plan's lists.
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
  /// The passes that a series of launches covers.
  enum class Directions : std::uint8_t { kForward, kBackward, kBoth, kStep };

  explicit DeviceRun(DeviceEngine& engine);

  const Stream& stream() const { return engine_.stream(); }
  DeviceBatch& batch() { return batch_; }
  DeviceValues& values() { return values_; }
  /// The optimiser's numbers for the last update.
  const ParameterStep* steps() const { return staged_steps_.as<ParameterStep>(); }
  /// Counts since the start of forward().
  LaunchCounts& launch_counts() { return launch_counts_; }

  /// Arguments for kernels that run the entries of the minibatch's script before `entries`.
  KernelArguments begin(const PreparedBatch& batch, Directions directions, float loss_gradient, std::int32_t entries);
  /// Adds the arguments for the update.
  void begin_update(KernelArguments& arguments, const UpdateRequest& request);
  /// Arguments for an update alone. @param gradients  gradients of the request, on the GPU
  KernelArguments begin_update(const UpdateRequest& request, float* gradients);
  UpdateResult end_update(const UpdateRequest& request);
  /// Leaves the updated parameters on the GPU. The update is launched and assumed to succeed.
  void mark_update_on_device(Optimizer& optimizer);
  /// Prepares to clear every row of the gradients of tables, and to update none.
  void begin_without_update();
  /// Call this after the last launch.
  void end_launches(Directions directions);
  /// Ends the launches, prepares the next minibatch in the meantime, and waits.
  void finish(Directions directions) {
    end_launches(directions);
    wait();
  }
  /// Waits for a step. If the GPU has not updated, reverts mark_update_on_device(), and leaves the gradients to be read
  /// unless a later step has begun.
  TrainedStep end_step(const PreparedBatch& batch, const UpdateRequest& request);
  /// True if later launches have begun.
  bool is_overtaken() const { return timer_.is_overtaken(); }

 private:
  const int* send_touched(const Gradients& gradients);
  void download_result();
  void wait();
  UpdateResult result_of(const UpdateRequest& request);

  DeviceEngine& engine_;
  DeviceBatch batch_;
  PinnedMemory staged_steps_;  // numbers of the optimiser
  DeviceMemory steps_;
  std::vector<std::int32_t> touched_;  // of an update alone
  DeviceMemory sent_touched_;
  DeviceValues values_;
  PinnedMemory result_;
  PassTimer timer_;
  std::int64_t steps_before_ = 0;  // of the optimiser
  LaunchCounts launch_counts_;
  bool ran_backward_ = false, has_loss_ = false;
};

}  // namespace cavs::cuda
