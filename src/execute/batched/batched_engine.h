#pragma once

#include <memory>

#include "execute/batched/executor.h"
#include "execute/batched/packed_updater.h"
#include "execute/engine.h"

namespace cavs {

/// Values lie in an arena and weights are multiplied, and updated, in packed form (PackedWeights, PackedUpdater).
class BatchedEngine final : public Engine {
 public:
  explicit BatchedEngine(const EngineContext& context);

  std::unique_ptr<EngineRun> make_run() override;
  Precision precision() const override;
  UpdateResult update(EngineRun& run, const UpdateRequest& request) override;
  bool set_slack(std::function<bool()> slice) override;
  void finish_slack() override { team_.finish_slack(); }
  void share(const std::function<void(int worker, int workers)>& f) override;

  /// Forward, backward and update in one parallel region. @param loss  of the run, when F is done
  TrainedStep train(Execution& run, const UpdateRequest& request, const std::function<double()>& loss);

  const Program& program() const { return *program_; }
  Team& team() { return team_; }
  PackedUpdater& updater() { return updater_; }
  TeamPlanner& planner() { return planner_; }
  Executor& executor() { return executor_; }
  const std::shared_ptr<PackedWeights>& weights() const { return executor_.weights(); }
  bool profiles() const { return profile_; }
  /// Bytes of workers' tiles that runs were allowed to take; they are shared by all runs.
  std::int64_t& tile_bytes() { return tile_bytes_; }

 private:
  GradientNorm& norm();
  UpdateResult update(Execution& run, const UpdateRequest& request);
  UpdateResult finish(Update& update);

  std::shared_ptr<const Program> program_;
  std::shared_ptr<Parameters> parameters_;
  Team team_;
  cpu::Precision precision_;
  TeamPlanner planner_;
  Executor executor_;
  PackedUpdater updater_;
  std::optional<GradientNorm> norm_;  // from the first update on
  bool profile_;
  std::int64_t tile_bytes_ = 0;
};

}  // namespace cavs
