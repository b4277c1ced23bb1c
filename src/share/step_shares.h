#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "plan/plan.h"

namespace cavs {

/// Who runs a step: the team shares it, or this worker alone.
struct StepShare {
  static constexpr std::int32_t kTeam = -1;
  std::int32_t worker = kTeam;
  bool waits = false;  // for all workers, also where it and the step before it are one worker's each

  bool one_worker() const { return worker != kTeam; }
  bool operator==(const StepShare&) const = default;
};

/// [steps of a plan]
using StepShares = std::vector<StepShare>;

/// Floating-point operations of a worker, where rows are few, in the time that the team waits for each other at a
/// barrier: some third of a microsecond.
constexpr double kFlopsInAWait = 32768;

/// Whether one worker takes no longer than the team waits for each other when it shares the step.
bool is_small(const CodeCost& cost, double flops, double factor = 1);

/// Every step is the team's, or worker 0's where it is small.
void share_by_size(const Program& program, const Plan& plan, StepShares& shares);

}  // namespace cavs
