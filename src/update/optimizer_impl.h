#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "cavs/optimizer.h"
#include "support/split_range.h"
#include "tensor/array.h"
#include "tensor/parameter_rows.h"
#include "update/optimizer_def.h"

namespace cavs::inline v0_1 {

/// State and steps of an optimiser; see detail::OptimizerAccess.
struct Optimizer::Impl {
  Impl(OptimizerOptions options, const Parameters& parameters);

  void check(const Parameters& parameters, const Gradients& gradients, const ParameterRows* matrices) const;
  /// Copies the state back from a device and marks it as changed. Call before threads of the host change it.
  void take_back();
  /// Updates a worker's part of one parameter, also if its gradient is deferred. Call check() first. Gradients are
  /// multiplied by `gradient_scale`. If `matrices` is not null, it gives access to all matrices except tables.
  void step_parameter(const WorkPart& work, int parameter, Parameters& parameters, const Gradients& gradients,
                      float gradient_scale, ParameterRows* matrices);
  /// Counts the step and touches every parameter.
  void end_step(Parameters& parameters);

  double rate_of(double lr) const { return lr * options.schedule.factor(steps) * rate_factor; }
  StepScalars scalars(int parameter, float gradient_scale) const;

  OptimizerOptions options;
  const OptimizerDef* def;
  Parameters::List list;      // the parameters of this optimiser
  std::vector<double> rates;  // [parameters]: learning rate by its group, before the schedule's factor
  std::vector<char> frozen;   // [parameters]: 1 if frozen, else 0
  std::vector<std::string_view> slot_names;
  std::vector<std::vector<std::unique_ptr<detail::Array>>> state;  // [slot][parameter]
  std::int64_t steps = 0;
  double rate_factor = 1;

 private:
  class StripStep;
  void update(const StepScalars& scalars, int parameter, std::int64_t begin, std::int64_t count, float* values,
              const float* gradient);
  template <typename Gradient>
  void update_matrix(const StepScalars& scalars, const WorkPart& work, int parameter, const Shape& shape,
                     ParameterRows& matrices, Gradient gradient);
};

}  // namespace cavs::inline v0_1
