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
  bool reads_kept_states() const override { return true; }
  ParameterRows* begin_update(EngineRun* run) override;
  void end_update() override { updater_.finish(); }

  const Program& program() const { return *program_; }
  TeamPlanner& planner() { return planner_; }
  Executor& executor() { return executor_; }
  const std::shared_ptr<PackedWeights>& weights() const { return executor_.weights(); }
  bool profiles() const { return profile_; }
  /// Bytes of workers' tiles that runs were allowed to take; they are shared by all runs.
  std::int64_t& tile_bytes() { return tile_bytes_; }

 private:
  std::shared_ptr<const Program> program_;
  cpu::Precision precision_;
  TeamPlanner planner_;
  Executor executor_;
  PackedUpdater updater_;
  bool profile_;
  std::int64_t tile_bytes_ = 0;
};

}  // namespace cavs
