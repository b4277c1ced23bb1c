#pragma once

#include "execute/cuda/device_run.h"
#include "execute/cuda_persistent/persistent_engine.h"

namespace cavs::cuda {

/// A minibatch on the GPU. Each call of a pass is one launch.
class PersistentRun final : public DeviceRun {
 public:
  explicit PersistentRun(PersistentEngine& engine);

  bool prepare(const PreparedBatch& batch, bool first) override;
  void forward(const PreparedBatch& batch, float loss_gradient) override;
  void backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                bool defer_weights) override;
  std::optional<TrainedStep> train(const PreparedBatch& batch, float loss_gradient,
                                   const UpdateRequest& request) override;

 private:
  KernelArguments begin(const PreparedBatch& batch, Directions directions);
  void launch(const PreparedBatch& batch, Directions directions, KernelArguments arguments);

  PersistentEngine& engine_;
  int kernel_ = 0;  // index in KernelSet of the kernel that the script is for
  StepShares shares_;
  Script script_;
  const Plan* plan_ = nullptr;  // the plan that the script follows
  Event begin_event_, end_event_;
  float loss_gradient_ = 1;
};

}  // namespace cavs::cuda
