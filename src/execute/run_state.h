#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "cavs/session.h"
#include "execute/engine.h"
#include "plan/planner.h"

namespace cavs::inline v0_1 {

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// State of a run. It is reused by later runs, so its memory grows only to the largest minibatch.
struct Run::State {
  Session::Impl* session = nullptr;
  bool open = false;
  std::shared_ptr<const BoundGraphs> graphs;  // the run's graphs if it shares their ownership, else nullptr
  PreparedBatch batch;
  std::unique_ptr<EngineRun> run;
  RunStatistics statistics;
  double loss_sum = 0, loss_divisor = 1;
  bool ran_backward = false;  // true if backward() has run, so that gradients exist
};

/// Packs, schedules and plans one minibatch in short slices, which can run in the slack (idle time) of another run.
class Preparation {
 public:
  Preparation(const Program& program, std::unique_ptr<Policy> policy);

  void start(Run::State& state, const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch,
             KeptStates kept = {});
  /// Does one slice of the work. Returns false if no slice is left.
  bool advance();
  void finish();
  bool is_for(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch) const;
  Run::State* state() const { return state_; }
  void drop() { state_ = nullptr; }

 private:
  bool pack_slice();

  enum class Phase { kPack, kSchedule, kPlan, kEngine, kDone };

  std::unique_ptr<Policy> policy_;
  Scheduler scheduler_;
  Planner planner_;
  Run::State* state_ = nullptr;
  const BoundGraphs* graphs_ = nullptr;
  std::vector<std::int32_t> samples_;
  Phase phase_ = Phase::kDone;
  bool engine_began_ = false;  // true once the engine's first slice is done
  std::exception_ptr error_;
};

}  // namespace cavs::inline v0_1
