#pragma once

#include "update/optimizer_impl.h"

namespace cavs::inline v0_1::detail {

/// Access to an optimiser's step for a session, which divides the step among threads, and for engines that update by
/// themselves. Call check() and take_back() on one thread, then step_parameter() for every part of every parameter,
/// then end_step() on one thread. Parameters with deferred gradients come first, because these gradients depend on the
/// values that other parameters have before the step.
struct OptimizerAccess {
  static void check(const Optimizer& optimizer, const Parameters& parameters, const Gradients& gradients,
                    const ParameterRows* matrices) {
    optimizer.impl_->check(parameters, gradients, matrices);
  }
  /// See Optimizer::Impl::take_back.
  static void take_back(Optimizer& optimizer) { optimizer.impl_->take_back(); }
  /// The state of a parameter in a slot.
  static Array& array(const Optimizer& optimizer, int slot, int parameter) {
    return *optimizer.impl_->state[slot][parameter];
  }

  /// The factors of the next step for one parameter, with gradient scale 1.
  static StepScalars scalars(const Optimizer& optimizer, int parameter) {
    return optimizer.impl_->scalars(parameter, 1);
  }
  static const OptimizerDef& rule(const Optimizer& optimizer) { return *optimizer.impl_->def; }
  static void step_parameter(Optimizer& optimizer, const WorkPart& work, int parameter, Parameters& parameters,
                             const Gradients& gradients, float gradient_scale, ParameterRows* matrices) {
    optimizer.impl_->step_parameter(work, parameter, parameters, gradients, gradient_scale, matrices);
  }
  static void end_step(Optimizer& optimizer, Parameters& parameters) { optimizer.impl_->end_step(parameters); }
  /// Undoes end_step() for a step that changed nothing.
  static void set_steps(Optimizer& optimizer, std::int64_t steps) { optimizer.impl_->steps = steps; }
};

}  // namespace cavs::inline v0_1::detail
