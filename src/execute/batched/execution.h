#pragma once

#include <chrono>
#include <cstdint>

#include "backend/cpu/kernels.h"
#include "execute/batched/deferred_gradients.h"
#include "execute/batched/team_planner.h"
#include "execute/batched/weight_loads.h"
#include "execute/engine.h"

namespace cavs::inline v0_1 {

/// Memory and measurements of one run.
struct Execution {
  const PreparedBatch* batch = nullptr;
  TeamPlan team;
  bool is_alone = false;  // true if the caller does the run without its team
  cpu::AlignedFloats arena;
  std::int64_t capacity = 0;  // in floats
  float loss_gradient = 0;
  DeferredGradients deferred;
  GradientProgress* progress = nullptr;               // counts the gradients that ∂F completes, or nullptr
  bool ran_backward = false;                          // true if ∂F has run
  double memory_seconds = 0;                          // time of worker 0's copies; only when profiled
  std::chrono::steady_clock::time_point forward_end;  // time at which worker 0 ended F in a pass of F and ∂F
  std::int64_t streamed_rows = 0;                     // rows of lazy steps that were done during small tasks
  LoadedWeights loaded;                               // only when profiled

  const Plan& plan() const { return batch->plan; }
};

}  // namespace cavs::inline v0_1
