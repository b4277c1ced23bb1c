#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backend/cpu/isa.h"
#include "cavs/optimizer.h"

namespace cavs::inline v0_1 {

/// The factors of one step. They are computed in double and rounded once, as in PyTorch.
struct StepScalars {
  float gradient_scale = 1;  // factor on gradients
  float rate = 0;            // learning rate, with the corrections of the rule
  float decay = 0;           // weight decay; for adamw, the factor 1 - rate * weight_decay on values
  float momentum = 0;
  bool nesterov = false;
  float beta1 = 0, one_minus_beta1 = 0;
  float beta2 = 0, one_minus_beta2 = 0;
  float root_correction2 = 1;  // sqrt(1 - beta2^step)
  float eps = 0;
};

/// `count` elements of one parameter, to be updated in place.
struct UpdateRange {
  float* value;
  const float* gradient;
  float* slots[2];  // the elements' state in each slot; nullptr if the optimiser has no such slot
  std::int64_t count;
};

using UpdateRule = void (*)(const StepScalars&, const UpdateRange&);

/// Everything that the library knows about an optimiser. To add one, write a file like sgd.cc and a line in
/// optimizer_list.inc.
struct OptimizerDef {
  std::string_view name;
  std::string_view doc;
  /// The options of this optimiser in addition to those of every kind (lr, weight_decay, sparse_updates, schedule).
  std::span<const std::string_view> options;
  /// Sets the defaults that differ from those of OptimizerOptions.
  void (*set_defaults)(OptimizerOptions&);
  /// Names of the optimiser's state tensors, at most two, and their initial value.
  std::span<const std::string_view> (*slots)(const OptimizerOptions&);
  float (*initial_state)(const OptimizerOptions&);
  /// True if a zero gradient changes neither an element nor its state, so only listed rows of tables need work.
  bool (*skips_zero_gradients)(const OptimizerOptions&);
  /// Computes the factors from the options, the learning rate and the number of the step (from 1).
  void (*scalars)(const OptimizerOptions&, double rate, std::int64_t step, StepScalars&);
  UpdateRule (*update)(const cpu::Isa&);  // returns the rule compiled for an instruction set; results are bit-identical
};

#define CAVS_OPTIMIZER(Name) extern const OptimizerDef k##Name;
#include "update/optimizer_list.inc"
#undef CAVS_OPTIMIZER

/// All optimisers, by name.
std::span<const OptimizerDef* const> optimizer_defs();

/// The optimiser of this name. @throws UserError with the known kinds.
const OptimizerDef& find_optimizer(std::string_view kind);

}  // namespace cavs::inline v0_1
