#pragma once

#include <chrono>
#include <cstdint>

#include "backend/cpu/kernels.h"
#include "execute/batched/deferred_gradients.h"
#include "execute/batched/team_planner.h"
#include "execute/batched/weight_loads.h"
#include "execute/engine.h"

namespace cavs::inline v0_1 {

/// Memory and figures of one run.
struct Execution {
  const PreparedBatch* batch = nullptr;
  TeamPlan team;
  bool is_alone = false;  // the caller does the run without its team
  cpu::AlignedFloats arena;
  std::int64_t capacity = 0;  // floats
  float loss_gradient = 0;
  DeferredGradients deferred;
  GradientProgress* progress = nullptr;          // told which gradients ∂F has completed
  bool went_back = false;                        // the values of ∂F are there
  double memory_seconds = 0;                     // of copies, by worker 0, when profiled
  std::chrono::steady_clock::time_point turned;  // from F to ∂F, in a pass of both; worker 0
  std::int64_t streamed_rows = 0;                // of lazy steps, done while small tasks ran
  LoadedWeights loaded;                          // when profiled

  const Plan& plan() const { return batch->plan; }
};

}  // namespace cavs::inline v0_1
