#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compile/program.h"
#include "placement/placement.h"
#include "plan/plan.h"

namespace cavs {

/// What the model of a GPU's time knows of it. Of each processor, where it says so; a clock is one of its clocks.
struct GpuSpeed {
  std::string_view target;  // OnChipTarget::name
  double ghz = 0;
  double barrier_us = 0;            // of all processors
  double read_clocks = 300;         // until the first of what a level reads is there: an estimate
  double read_bytes = 38;           // a clock, from the level 2 cache that all share
  double fp32_multiply_adds = 128;  // a clock
  double bf16_multiply_adds = 0;    // a clock, with mma
  double efficiency = 0.7;          // of products: an estimate
  double loop_clocks = 500;         // what else a level does: an estimate
};

/// Those that are known, by target: "sm_80" (A100), "sm_90" (H100).
std::span<const GpuSpeed> gpu_speeds();

/// Numbers that a level, which is a task, asks of persistent processors.
struct LevelWork {
  bool backward = false;
  std::int32_t rows = 0;       // its vertices
  std::int32_t barriers = 1;   // before the next level, and inside where all wait for what a product has computed
  double read = 0;             // operands of its products: every processor reads all of them
  double partial = 0;          // sums over a processor's columns of a weight: each writes as many and reads as many,
                               // in fp32 always
  double multiply_adds = 0;    // of one processor, in fp32
  double multiply_adds_8 = 0;  // the same where rows are multiplied by eights: mma
  double streamed = 0;         // bytes of weights that the processor with most of them has no room for
  bool operator==(const LevelWork&) const = default;
};

/// Microseconds by what takes them.
struct LevelTime {
  double barriers = 0, reading = 0, products = 0, loops = 0, streaming = 0;
  double us() const { return barriers + reading + products + loops + streaming; }
  void add(const LevelTime& other);
};

/// t_b + t_r + t_m + t_c. @param number_bytes  4: fp32; 2: bf16
LevelTime predict_level(const LevelWork& work, const GpuSpeed& speed, int number_bytes);

/// The levels of a plan, in the order in which they run.
std::vector<LevelWork> levels_of(const Program& program, const WeightPlacement& placement, const Plan& plan);

/// Predicted times of a step, in microseconds; means over the minibatches of an epoch.
struct GpuPrediction {
  std::int64_t steps = 0;
  double levels = 0, rows = 0;  // a step; a level
  LevelTime forward, backward;  // all levels of a step
  double outside = 0;           // products and loops before and after the tasks
  double loading = 0;           // weights onto the processors that keep them, once a minibatch
  double update = 0;            // of the parameters
  double step_us() const { return forward.us() + backward.us() + outside + loading + update; }
};

/// Adds up plans of a program, one after the other. Cost of each: linear in the plan's steps.
class GpuPredictor {
 public:
  /// All outlive it. @param number_bytes  those that the placement was made for
  GpuPredictor(const Program& program, const WeightPlacement& placement, const GpuSpeed& speed, int number_bytes);

  void add(const Plan& plan);
  /// Of at least one plan.
  GpuPrediction mean() const;

 private:
  double outside_us(const Plan& plan) const;
  double loading_us() const;
  double update_us(const Plan& plan) const;
  double read_us(double bytes) const;

  const Program& program_;
  const WeightPlacement& placement_;
  const GpuSpeed& speed_;
  int number_bytes_;
  GpuPrediction sum_;
};

}  // namespace cavs
