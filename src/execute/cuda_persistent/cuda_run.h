#pragma once

#include <string>
#include <vector>

#include "execute/cuda_persistent/cuda_engine.h"
#include "execute/cuda_persistent/pull_rows.h"
#include "execute/run_values.h"

namespace cavs::cuda {

/// A minibatch on the GPU: what a launch reads of it is copied there as soon as it is planned, by a stream of its own;
/// what it has computed is copied back when it is asked for.
class CudaRun final : public EngineRun {
 public:
  explicit CudaRun(CudaEngine& engine);
  ~CudaRun() override;
  CudaRun(const CudaRun&) = delete;
  CudaRun& operator=(const CudaRun&) = delete;

  bool prepare(const PreparedBatch& batch, bool first) override;
  bool fits(const PreparedBatch& batch) const override { return bytes(batch) <= held_bytes(); }
  std::int64_t bytes(const PreparedBatch& batch) const override;
  std::int64_t held_bytes() const override { return arena_.bytes(); }
  void reserve(const PreparedBatch& batch) override;
  void forward(const PreparedBatch& batch, float loss_gradient) override;
  double loss_sum(const PreparedBatch& batch) const override;
  void backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                bool defer_weights) override;
  std::optional<TrainedStep> train(const PreparedBatch& batch, float loss_gradient,
                                   const UpdateRequest& request) override;
  void rows(const PreparedBatch& batch, PortKind kind, const std::string& port, std::span<const float*> rows) override;
  std::string find_not_finite(const PreparedBatch& batch) const override;
  void count(const PreparedBatch& batch, RunStatistics& statistics) const override;

 private:
  /// How far a launch goes through its script.
  enum class Directions : std::uint8_t { kForward, kBoth, kStep };

  void send(const PreparedBatch& batch);
  std::int32_t last_entry(Directions directions) const;
  void begin(const PreparedBatch& batch, Directions directions, KernelArguments& arguments);
  void send_run_pulls(const PreparedBatch& batch);
  void launch(const PreparedBatch& batch, Directions directions, const KernelArguments& arguments);
  void send_steps(const Optimizer& optimizer);
  BaseOf base(const PreparedBatch& batch) const;
  const float* read(const Plan& plan, std::int64_t begin, std::int64_t floats) const;

  CudaEngine& engine_;
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
  DeviceMemory arena_;
  PinnedMemory result_;
  Event sent_event_, begin_event_, end_event_, done_event_;
  float loss_gradient_ = 1;
  bool went_back_ = false, has_loss_ = false;
  mutable std::unique_ptr<float[]> values_;  // [values_size_] the arena as it is read back
  mutable std::int64_t values_size_ = 0;
  mutable std::vector<std::int64_t> read_;  // where what was read back begins
};

}  // namespace cavs::cuda
