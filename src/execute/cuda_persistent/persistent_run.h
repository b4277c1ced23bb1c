#pragma once

#include <string>
#include <vector>

#include "execute/cuda/device_values.h"
#include "execute/cuda/pull_rows.h"
#include "execute/cuda_persistent/persistent_engine.h"

namespace cavs::cuda {

/// A minibatch on the GPU: what a launch reads of it is copied there as soon as it is planned, by a stream of its own;
/// what it has computed is copied back when it is asked for.
class PersistentRun final : public EngineRun {
 public:
  explicit PersistentRun(PersistentEngine& engine);
  ~PersistentRun() override;
  PersistentRun(const PersistentRun&) = delete;
  PersistentRun& operator=(const PersistentRun&) = delete;

  bool prepare(const PreparedBatch& batch, bool first) override;
  bool fits(const PreparedBatch& batch) const override { return bytes(batch) <= held_bytes(); }
  /// What a launch computes; what it reads is as much as the plan's lists.
  std::int64_t bytes(const PreparedBatch& batch) const override { return DeviceValues::bytes(batch.plan); }
  std::int64_t held_bytes() const override { return values_.held_bytes(); }
  void reserve(const PreparedBatch& batch) override { values_.reserve(batch.plan); }
  void forward(const PreparedBatch& batch, float loss_gradient) override;
  double loss_sum(const PreparedBatch& batch) const override;
  void backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                bool defer_weights) override;
  std::optional<TrainedStep> train(const PreparedBatch& batch, float loss_gradient,
                                   const UpdateRequest& request) override;
  void rows(const PreparedBatch& batch, PortKind kind, const std::string& port, std::span<const std::int32_t> vertices,
            std::span<const float*> rows) override;
  std::string find_not_finite(const PreparedBatch& batch) const override;
  void count(const PreparedBatch& batch, RunStatistics& statistics) const override;

 private:
  /// How far a launch goes through its script.
  enum class Directions : std::uint8_t { kForward, kBoth, kStep };

  void send(const PreparedBatch& batch);
  void begin(const PreparedBatch& batch, Directions directions, KernelArguments& arguments);
  void send_run_pulls(const PreparedBatch& batch);
  void launch(const PreparedBatch& batch, Directions directions, const KernelArguments& arguments);
  void send_steps(const Optimizer& optimizer);

  PersistentEngine& engine_;
  int kernel_ = 0;  // that the script is for
  StepShares shares_;
  Script script_;
  std::vector<std::int32_t> words_;
  PullRows pulls_;
  const Plan* plan_ = nullptr;  // as the script has it
  PinnedMemory staged_;         // words, then pointers to the ports' rows, then these
  DeviceMemory sent_;           // the same
  std::int64_t ports_at_ = 0;   // bytes before the pointers
  PinnedMemory launch_staged_;  // the words' header, and the optimiser's numbers
  DeviceMemory steps_, run_pulls_;
  DeviceValues values_;
  PinnedMemory result_;
  Event sent_event_, begin_event_, end_event_, done_event_;
  float loss_gradient_ = 1;
  bool went_back_ = false, has_loss_ = false;
};

}  // namespace cavs::cuda
