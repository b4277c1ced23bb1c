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
  bool is_alone = false;  // true if the calling thread does the run without its team
  cpu::AlignedFloats arena;
  std::int64_t capacity = 0;  // size of the arena, in floats
  float loss_gradient = 0;
  DeferredGradients deferred;
  GradientProgress* progress = nullptr;               // counts the gradients that ∂F has completed, or nullptr
  bool ran_backward = false;                          // true if ∂F has run
  double memory_seconds = 0;                          // time that worker 0 spent on copies; only when profiled
  std::chrono::steady_clock::time_point forward_end;  // time at which worker 0 ended F, if F and ∂F ran in one pass
  std::int64_t streamed_rows = 0;                     // number of rows of lazy steps that ran during small tasks
  LoadedWeights loaded;                               // bytes of weights that products loaded; only when profiled

  const Plan& plan() const { return batch->plan; }
};

}  // namespace cavs::inline v0_1
