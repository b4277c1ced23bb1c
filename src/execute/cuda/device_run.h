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

/// The base of the runs of a GPU's engines: kernels find a minibatch in its memory as soon as it is planned; values
/// that they have computed are copied back when somebody asks for them.
class DeviceRun : public EngineRun {
 public:
  bool fits(const PreparedBatch& batch) const override { return bytes(batch) <= held_bytes(); }
  /// The memory of what kernels compute; what they read is as much as the plan's lists.
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
  /// How far launches go.
  enum class Directions : std::uint8_t { kForward, kBackward, kBoth, kStep };

  explicit DeviceRun(DeviceEngine& engine);

  const Stream& stream() const { return engine_.stream(); }
  DeviceBatch& batch() { return batch_; }
  DeviceValues& values() { return values_; }
  /// The optimiser's numbers of the last update.
  const ParameterStep* steps() const { return staged_steps_.as<ParameterStep>(); }
  /// Since forward() began.
  LaunchCounts& launch_counts() { return launch_counts_; }

  /// All that kernels need of the minibatch, for the entries of its script before `entries`.
  KernelArguments begin(const PreparedBatch& batch, Directions directions, float loss_gradient, std::int32_t entries);
  /// And for the update.
  void begin_update(KernelArguments& arguments, const UpdateRequest& request);
  /// For an update by itself. @param gradients  the request's, on the GPU
  KernelArguments begin_update(const UpdateRequest& request, float* gradients);
  UpdateResult end_update(const UpdateRequest& request);
  /// The update is launched, and taken to succeed: leaves parameters to whoever reads them.
  void leave_update(Optimizer& optimizer);
  /// Every row of a table's gradient is cleared, and none is updated.
  void begin_without_update();
  /// After the last launch.
  void end_launches(Directions directions);
  /// And waits for it, and prepares the next minibatch meanwhile.
  void finish(Directions directions) { end_launches(directions), wait(); }
  /// Waits for a step. Where nothing was updated, takes back leave_update(), and leaves the gradients to whoever reads
  /// them, if no step was begun since.
  TrainedStep end_step(const PreparedBatch& batch, const UpdateRequest& request);
  /// True if launches were begun since its own.
  bool is_overtaken() const { return timer_.is_overtaken(); }

 private:
  const int* send_touched(const Gradients& gradients);
  void download_result();
  void wait();
  UpdateResult result_of(const UpdateRequest& request);

  DeviceEngine& engine_;
  DeviceBatch batch_;
  PinnedMemory staged_steps_;  // the optimiser's numbers
  DeviceMemory steps_;
  std::vector<std::int32_t> touched_;  // of an update by itself
  DeviceMemory sent_touched_;
  DeviceValues values_;
  PinnedMemory result_;
  PassTimer timer_;
  std::int64_t steps_before_ = 0;  // of the optimiser
  LaunchCounts launch_counts_;
  bool went_back_ = false, has_loss_ = false;
};

}  // namespace cavs::cuda
