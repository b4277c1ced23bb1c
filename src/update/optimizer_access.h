#pragma once

#include "cavs/optimizer.h"

namespace cavs::detail {

/// The parts of a step, for who shares it among threads. On every worker step_deferred() where gradients are deferred;
/// when all are done, on every worker step_share(); when all are done, end_step() on one.
struct OptimizerAccess {
  static void step_share(Optimizer& optimizer, int worker, int workers, Parameters& parameters,
                         const Gradients& gradients, float gradient_scale = 1, ParameterRows* matrices = nullptr) {
    optimizer.step_share(worker, workers, parameters, gradients, gradient_scale, matrices);
  }
  static void step_deferred(Optimizer& optimizer, int worker, int workers, const Parameters& parameters,
                            const Gradients& gradients, float gradient_scale, ParameterRows& matrices) {
    optimizer.step_deferred(worker, workers, parameters, gradients, gradient_scale, matrices);
  }
  static void end_step(Optimizer& optimizer, Parameters& parameters) { optimizer.end_step(parameters); }
};

}  // namespace cavs::detail
