#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backend/cpu/isa.h"
#include "cavs/optimizer.h"

namespace cavs::inline v0_1 {

/// What one step multiplies with, made in double and rounded once, as PyTorch does.
struct StepScalars {
  float gradient_scale = 1;
  float rate = 0;   // times the direction
  float decay = 0;  // weight decay: of the gradient, or of the value where it is decoupled
  float momentum = 0;
  bool nesterov = false;
  float beta1 = 0, one_minus_beta1 = 0;
  float beta2 = 0, one_minus_beta2 = 0;
  float root_correction2 = 1;  // sqrt(1 - beta2^step)
  float eps = 0;
};

/// `count` elements of one parameter, in place.
struct UpdateRange {
  float* value;
  const float* gradient;
  float* slots[2];
  std::int64_t count;
};

using UpdateRule = void (*)(const StepScalars&, const UpdateRange&);

/// All the library knows about an optimiser. Adding one: a file like sgd.cc and a line in optimizer_list.inc.
struct OptimizerDef {
  std::string_view name;
  std::string_view doc;
  /// The options that it has besides those of every kind (lr, weight_decay, sparse_updates, schedule).
  std::span<const std::string_view> options;
  /// Where its defaults differ from those of OptimizerOptions.
  void (*set_defaults)(OptimizerOptions&);
  /// State that it keeps, at most two, and its first value.
  std::span<const std::string_view> (*slots)(const OptimizerOptions&);
  float (*initial_state)(const OptimizerOptions&);
  /// True if an element without gradient keeps its bits and its state's, so that only a table's listed rows need work.
  bool (*skips_zero_gradients)(const OptimizerOptions&);
  /// Fills what depends on (options, learning rate, number of this step from 1).
  void (*scalars)(const OptimizerOptions&, double rate, std::int64_t step, StepScalars&);
  UpdateRule (*update)(const cpu::Isa&);  // compiled for it; the bits are the same in all
};

#define CAVS_OPTIMIZER(Name) extern const OptimizerDef k##Name;
#include "update/optimizer_list.inc"
#undef CAVS_OPTIMIZER

/// All of them, by name.
std::span<const OptimizerDef* const> optimizer_defs();

/// @throws UserError naming the known kinds.
const OptimizerDef& find_optimizer(std::string_view kind);

}  // namespace cavs::inline v0_1
