#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "execute/batched/deferred_sums.h"
#include "execute/batched/packed_updater.h"
#include "execute/batched/shared_steps.h"
#include "execute/update.h"

namespace cavs::inline v0_1 {

/// The CPU engine. Values are in an arena; weights are multiplied and updated in packed form (PackedWeights,
/// PackedUpdater). A team of threads executes a plan in one parallel region per direction, or in one for a whole step.
class BatchedEngine final : public Engine {
 public:
  explicit BatchedEngine(const EngineContext& context);

  std::unique_ptr<EngineRun> make_run() override;
  Precision precision() const override;
  UpdateResult update(EngineRun& run, const UpdateRequest& request) override;
  bool set_slack(std::function<bool()> slice) override;
  void finish_slack() override { team_.finish_slack(); }
  void share(const std::function<void(int worker, int workers)>& f) override;

  /// Called as soon as a run's batch is planned.
  void prepare(Execution& run, const PreparedBatch& batch);
  void forward(Execution& run);
  /// Before: gradients of pushes are in their tensors.
  void backward(Execution& run, Gradients& gradients, bool defer);
  /// Does forward, backward and update in one parallel region. If a deferred gradient might not be finite, the update
  /// is done again in a second region. @param loss  returns the run's loss, and is called when F is done
  TrainedStep train(Execution& run, const UpdateRequest& request, const std::function<double()>& loss);
  /// Returns the addresses of the operands of a type in a finished run.
  StepView view(const Execution& run, std::int32_t type) const;

  const Program& program() const { return *program_; }
  PackedUpdater& updater() { return updater_; }
  const std::shared_ptr<PackedWeights>& weights() const { return weights_; }
  bool profiles() const { return profile_; }
  /// Returns the bytes that a plan needs for the tiles of row groups, over all workers.
  std::int64_t tile_bytes(const Plan& plan) const { return instructions_.tile_bytes(plan, team_.size()); }
  /// Bytes reserved for these tiles, which all runs share: the largest need so far.
  std::int64_t& tile_bytes() { return tile_bytes_; }

 private:
  GradientNorm& norm();
  UpdateResult update(Execution& run, const UpdateRequest& request);
  UpdateResult finish(Update& update);
  template <typename Work>
  void run_region(Execution& run, bool compared, Work work);
  void add_loads(Execution& run);
  void choose_deferred(Execution& run, Gradients& gradients, bool defer);
  void run_steps(Execution& run, Directions directions, Gradients* gradients, int number);
  void expect_gradients(const Execution& run) const;
  void go_back(Execution& run, Gradients& gradients, Directions directions, int worker);

  std::shared_ptr<const Program> program_;
  std::shared_ptr<Parameters> parameters_;
  Team team_;
  cpu::Precision precision_;
  const bool profile_;
  std::shared_ptr<PackedWeights> weights_;
  Workers workers_;
  TeamPlanner planner_;
  InstructionRunner instructions_;
  SharedSteps steps_;
  GradientDeferral deferral_;
  DeferredSums deferred_sums_;
  PackedUpdater updater_;
  std::optional<GradientNorm> norm_;  // empty before the first update
  std::int64_t tile_bytes_ = 0;
};

}  // namespace cavs::inline v0_1
