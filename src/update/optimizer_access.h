#pragma once

#include "update/optimizer_impl.h"

namespace cavs::inline v0_1::detail {

/// The parts of a step, for who shares it among threads: check() and take_back() on one; every part of every parameter,
/// step_parameter(), first of those whose gradients are deferred, as these are made of values that other parameters
/// have before the step; end_step() on one. Engines that make the step on their device use it, too.
struct OptimizerAccess {
  static void check(const Optimizer& optimizer, const Parameters& parameters, const Gradients& gradients,
                    const ParameterRows* matrices) {
    optimizer.impl_->check(parameters, gradients, matrices);
  }
  /// Before a step that is shared among threads.
  static void take_back(Optimizer& optimizer) { optimizer.impl_->take_back(); }
  /// The state of a parameter.
  static Array& array(const Optimizer& optimizer, int slot, int parameter) {
    return *optimizer.impl_->state[slot][parameter];
  }

  /// What the next step multiplies one parameter's numbers with.
  static StepScalars scalars(const Optimizer& optimizer, int parameter) {
    return optimizer.impl_->scalars(parameter, 1);
  }
  static const OptimizerDef& rule(const Optimizer& optimizer) { return *optimizer.impl_->def; }
  static void step_parameter(Optimizer& optimizer, const WorkPart& who, int parameter, Parameters& parameters,
                             const Gradients& gradients, float gradient_scale, ParameterRows* matrices) {
    optimizer.impl_->step_parameter(who, parameter, parameters, gradients, gradient_scale, matrices);
  }
  static void end_step(Optimizer& optimizer, Parameters& parameters) { optimizer.impl_->end_step(parameters); }
  /// For a step that was ended and has changed nothing after all.
  static void set_steps(Optimizer& optimizer, std::int64_t steps) { optimizer.impl_->steps = steps; }
};

}  // namespace cavs::inline v0_1::detail
