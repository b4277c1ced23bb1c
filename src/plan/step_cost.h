#pragma once

#include "compile/program.h"
#include "plan/plan.h"

namespace cavs {

/// Floating-point operations of a worker, where rows are few, in the time that the team waits for each other at a
/// barrier: some third of a microsecond.
constexpr double kFlopsInAWait = 32768;

/// Floating-point operations of a step whose rows are known.
double flops_of(const CodeCost& cost, const Plan& plan, const Step& step);

/// Whether one worker takes no longer than the team waits for each other when it shares the step.
bool is_small(const CodeCost& cost, double flops, double factor = 1);

}  // namespace cavs
