#pragma once

#include <string>

#include "execute/batched/batched_engine.h"
#include "execute/run_values.h"

namespace cavs::inline v0_1 {

/// A run of the batched engine. The run's values are in an arena, at the plan's offsets.
class BatchedRun final : public EngineRun {
 public:
  explicit BatchedRun(BatchedEngine& engine) : engine_(engine) {}

  bool prepare(const PreparedBatch& batch, bool first) override;
  bool fits(const PreparedBatch& batch) const override;
  std::int64_t bytes(const PreparedBatch& batch) const override;
  std::int64_t held_bytes() const override;
  void reserve(const PreparedBatch& batch) override;
  void forward(const PreparedBatch& batch, float loss_gradient) override;
  double loss_sum(const PreparedBatch& batch) const override;
  void backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                bool defer_weights) override;
  void report_to(GradientProgress& progress) override { execution_.progress = &progress; }
  std::optional<TrainedStep> train(const PreparedBatch& batch, float loss_gradient,
                                   const UpdateRequest& request) override;
  void rows(const PreparedBatch& batch, PortKind kind, const std::string& port, std::span<const std::int32_t> vertices,
            std::span<const float*> rows) override;
  std::string find_not_finite(const PreparedBatch& batch) const override;
  void count(const PreparedBatch& batch, RunStatistics& statistics) const override;

  Execution& execution() { return execution_; }

 private:
  BaseOf base() const;
  void begin(const PreparedBatch& batch, float loss_gradient);

  BatchedEngine& engine_;
  Execution execution_;
};

}  // namespace cavs::inline v0_1
