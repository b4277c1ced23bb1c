#pragma once

#include <cstdint>

#include "compile/program.h"
#include "measure/core_speed.h"
#include "placement/placement.h"
#include "plan/plan.h"
#include "script/script.h"
#include "script/write_script.h"

namespace cavs {

/// Predicted times of a step of the engine `persistent`, in microseconds, in fp32: means over the minibatches.
/// What is not there: loops, lookups, the dispatch of instructions, and what the host does between steps.
struct CpuPrediction {
  std::int64_t steps = 0;
  double products = 0, meetings = 0;      // of tasks; of all: a step
  double cache_bound = 0, fma_bound = 0;  // products of tasks, by what they wait for
  double outside = 0;                     // products before and after the tasks, gradients among them
  double update = 0;                      // of the parameters
  double rendezvous = 0;
  double step_us() const { return cache_bound + fma_bound + outside + update + rendezvous; }
};

/// Adds up plans of a program, one after the other.
class CpuPredictor {
 public:
  /// All outlive it. @param placement  on as many processors as there are cores
  CpuPredictor(const Program& program, const WeightPlacement& placement, const CoreSpeed& speed);

  /// @param plan  made for as many workers as there are cores
  void add(const Plan& plan);
  /// Of at least one plan.
  CpuPrediction mean() const;

 private:
  struct Bounds {
    double cache = 0, fma = 0;
  };
  void add_task(const Plan& plan, const Step& step);
  Bounds bounds_of_product(double rows, double k, double columns) const;
  double outside_us(const Plan& plan, const Step& step) const;
  double update_us(const Plan& plan) const;
  double meetings_of(const Plan& plan);

  const Program& program_;
  const WeightPlacement& placement_;
  const CoreSpeed& speed_;
  ScriptWriter writer_;
  Script script_;
  CpuPrediction sum_;
};

}  // namespace cavs
