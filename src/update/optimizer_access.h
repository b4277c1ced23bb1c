#pragma once

#include "cavs/optimizer.h"
#include "tensor/array.h"
#include "update/optimizer_def.h"

namespace cavs::inline v0_1::detail {

/// The parts of a step, for who shares it among threads: check() and take_back() on one; every part of every parameter,
/// step_parameter(), first of those whose gradients are deferred, as these are made of values that other parameters
/// have before the step; end_step() on one. Engines that make the step on their device use it, too.
struct OptimizerAccess {
  static void check(const Optimizer& optimizer, const Parameters& parameters, const Gradients& gradients,
                    const ParameterRows* matrices) {
    optimizer.check(parameters, gradients, matrices);
  }
  /// Before a step that is shared among threads.
  static void take_back(Optimizer& optimizer) { optimizer.take_back(); }
  /// The state of a parameter.
  static Array& array(const Optimizer& optimizer, int slot, int parameter) {
    return *optimizer.state_[slot][parameter];
  }

  /// What the next step multiplies one parameter's numbers with.
  static StepScalars scalars(const Optimizer& optimizer, int parameter) { return optimizer.scalars(parameter, 1); }
  static const OptimizerDef& rule(const Optimizer& optimizer) { return *optimizer.def_; }
  static void step_parameter(Optimizer& optimizer, const WorkPart& who, int parameter, Parameters& parameters,
                             const Gradients& gradients, float gradient_scale, ParameterRows* matrices) {
    optimizer.step_parameter(who, parameter, parameters, gradients, gradient_scale, matrices);
  }
  /// Squares of one parameter's gradient, which is of the norm's parameters.
  static void sum_squares(GradientNorm& norm, int part, int parts, int parameter, const Gradients& gradients) {
    norm.share(part, parts, parameter, gradients);
  }
  static void end_step(Optimizer& optimizer, Parameters& parameters) { optimizer.end_step(parameters); }
};

}  // namespace cavs::inline v0_1::detail
