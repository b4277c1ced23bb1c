#pragma once

#include "backend/cuda/entries/pack_script.h"
#include "execute/cuda/device_run.h"
#include "execute/cuda_batched/batched_engine.h"
#include "execute/cuda_batched/exchange.h"
#include "execute/cuda_batched/kernel_times.h"
#include "script/write_script.h"

namespace cavs::cuda {

/// A minibatch on the GPU. Its launches follow each other on one stream, except for a branch (LaunchedChunks).
class CudaBatchedRun final : public DeviceRun {
 public:
  explicit CudaBatchedRun(CudaBatchedEngine& engine);

  bool prepare(const PreparedBatch& batch, bool first) override;
  void forward(const PreparedBatch& batch, float loss_gradient) override;
  void count(const PreparedBatch& batch, RunStatistics& statistics) const override;
  void backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                bool defer_weights) override;
  bool begin_training(const PreparedBatch& batch, float loss_gradient, const UpdateRequest& request,
                      bool follows) override;
  TrainedStep end_training(const PreparedBatch& batch, const UpdateRequest& request) override;
  /// Copies states to the memory of kept states with one launch. best_words() is one launch, too.
  std::vector<char> keep(const PreparedBatch& batch, std::span<const KeptPort> ports,
                         std::span<const std::int32_t> vertices, std::span<const std::int32_t> slots) override;
  bool best_words(const PreparedBatch& batch, const std::string& port, std::span<const std::int32_t> vertices,
                  std::span<const std::int32_t> forced, std::span<ScoredWord> words) override;
  /// Updates without a pass. @param gradients  gradients of the request, on the GPU
  UpdateResult update(const UpdateRequest& request, float* gradients);

 private:
  void begin_pass(const KernelArguments& arguments, std::size_t stretch);
  void launch(const Plan& plan, std::span<const LaunchItem> items);
  void launch(SharedKernel kernel, const KernelArguments& arguments);
  void launch_forward(const Plan& plan);
  void launch_backward(const Plan& plan);
  void send_push_gradients(const PreparedBatch& batch, std::span<const Run::PushGradient> pushes);

  CudaBatchedEngine& engine_;
  StepShares shares_;
  Script script_;
  ScriptWriter writer_;
  ScriptPacker packer_;
  LaunchList launches_;
  std::int64_t stretches_at_ = 0;  // position of the stretches (ranges of entries) in the words
  float loss_gradient_ = 1;
  Exchange exchange_;  // buffers for keep() and best_words()
  KernelTimes times_;
  Directions done_ = Directions::kForward;  // passes that were launched since forward() began
  int slots_ = 0;                           // number of arrays per parameter that the optimiser keeps
};

}  // namespace cavs::cuda
